#include "packing/pack_panels.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "kernels/kernel_set.hpp"
#include "swiglu/error.h"

namespace swiglu {
namespace {

using kernels::kPanelColumns;

// 16 columns of one matrix (a half panel): units [unit, unit + 16), those past `units` are zero.
struct HalfPanel {
  const StridedMatrix* matrix;
  const StridedVector* bias;
  std::size_t unit;
  std::size_t units;
};

// Rows of k per step: 16 source lines of 64 bytes in, a 16 × 64-byte block out, both in L1.
constexpr std::size_t kStep = 16;
constexpr std::size_t kHalf = kPanelColumns / 2;

void pack_half(const HalfPanel& half, std::size_t k, float* panel) {
  const std::size_t valid = half.unit < half.units ? std::min(kHalf, half.units - half.unit) : 0;
  for (std::size_t c = 0; c < kHalf; ++c) panel[c] = c < valid ? half.bias->value_or_zero(half.unit + c) : 0.0f;
  float* rows = panel + kPanelColumns;
  for (std::size_t q0 = 0; q0 < k; q0 += kStep) {
    const std::size_t q1 = std::min(k, q0 + kStep);
    for (std::size_t c = 0; c < valid; ++c) {
      const float* source = half.matrix->at(half.unit + c, q0);
      const std::size_t stride = half.matrix->in_stride;
      float* target = rows + q0 * kPanelColumns + c;
      for (std::size_t q = q0; q < q1; ++q, source += stride, target += kPanelColumns) *target = *source;
    }
    for (std::size_t q = q0; q < q1; ++q) std::fill(rows + q * kPanelColumns + valid, rows + q * kPanelColumns + kHalf, 0.0f);
  }
}

std::size_t checked_panels(std::size_t panels, std::size_t k, const char* what) {
  const std::size_t limit = SIZE_MAX / sizeof(float) / 4;
  if (k >= limit / kPanelColumns - 1 || panels > limit / ((k + 1) * kPanelColumns)) {
    throw InvalidArgument(std::string("d_model, d_ff: the packed ") + what + " matrix (" + std::to_string(panels) +
                          " panels of " + std::to_string(k) + " rows) overflows the address space");
  }
  return (k + 1) * kPanelColumns;
}

}  // namespace

PackedLayout packed_layout(std::size_t d_model, std::size_t d_ff) {
  PackedLayout layout;
  layout.gate_up_panels = d_ff / kernels::kGateColumns + (d_ff % kernels::kGateColumns != 0);
  layout.down_panels = d_model / kPanelColumns + (d_model % kPanelColumns != 0);
  layout.gate_up_stride = checked_panels(layout.gate_up_panels, d_model, "gate-up");
  layout.down_stride = checked_panels(layout.down_panels, d_ff, "down");
  return layout;
}

void pack_gate_up(const BlockWeights& w, std::size_t first, std::size_t last, float* panels) {
  const std::size_t stride = (1 + w.d_model) * kPanelColumns;
  for (std::size_t p = first; p < last; ++p) {
    pack_half({&w.gate, &w.gate_bias, p * kHalf, w.d_ff}, w.d_model, panels + p * stride);
    pack_half({&w.up, &w.up_bias, p * kHalf, w.d_ff}, w.d_model, panels + p * stride + kHalf);
  }
}

void pack_down(const BlockWeights& w, std::size_t first, std::size_t last, float* panels) {
  const std::size_t stride = (1 + w.d_ff) * kPanelColumns;
  for (std::size_t p = first; p < last; ++p) {
    const std::size_t unit = p * kPanelColumns;
    pack_half({&w.down, &w.down_bias, unit, w.d_model}, w.d_ff, panels + p * stride);
    pack_half({&w.down, &w.down_bias, unit + kHalf, w.d_model}, w.d_ff, panels + p * stride + kHalf);
  }
}

}  // namespace swiglu
