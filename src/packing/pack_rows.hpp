#pragma once

// Rows of x → row tiles blocked by 16 columns (format: kernels/kernel_set.hpp).

#include <cstddef>

namespace swiglu {

/// Packs `mr` rows of `width` floats into one row tile of mr · round_up(width, 16) floats. Columns past `width` in the
/// last block are left as they are: kernels never read them.
void pack_row_tile(const float* rows, std::size_t stride, std::size_t mr, std::size_t width, float* tile);

}  // namespace swiglu
