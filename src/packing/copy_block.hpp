#pragma once

#include <cstddef>

#include "weight_views.hpp"

namespace swiglu {

/// Rows of k that copy_block() takes at once: 16 source lines of 64 bytes in, a 16 × 64-byte block out, both in L1.
inline constexpr std::size_t kCopyRows = 16;

/// target[q · 32 + c] = element (out c, in q) of `m` as seen from `source`, for c < columns ≤ 16, q < rows ≤ kCopyRows.
void copy_block(const float* source, const StridedMatrix& m, std::size_t columns, std::size_t rows, float* target);

}  // namespace swiglu
