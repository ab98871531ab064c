#pragma once

// Weights of any layout → panels (format: kernels/kernel_set.hpp).

#include <cstddef>

#include "weight_views.hpp"

namespace swiglu {

/// Sizes of the packed block, in floats. Throws InvalidArgument if they overflow.
struct PackedLayout {
  std::size_t gate_up_panels = 0;  ///< ⌈d_ff / 16⌉
  std::size_t gate_up_stride = 0;  ///< (1 + d_model) · 32
  std::size_t down_panels = 0;     ///< ⌈d_model / 32⌉
  std::size_t down_stride = 0;     ///< (1 + d_ff) · 32
  std::size_t gate_up_floats() const { return gate_up_panels * gate_up_stride; }
  std::size_t floats() const { return gate_up_floats() + down_panels * down_stride; }
};
PackedLayout packed_layout(std::size_t d_model, std::size_t d_ff);

/// Writes panels [first, last) of the gate-up (or down) matrix to `panels`, the start of the whole matrix.
/// Every float of those panels is written, padding columns as zeros.
void pack_gate_up(const BlockWeights& weights, std::size_t first, std::size_t last, float* panels);
void pack_down(const BlockWeights& weights, std::size_t first, std::size_t last, float* panels);

}  // namespace swiglu
