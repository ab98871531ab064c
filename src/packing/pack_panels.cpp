#include "packing/pack_panels.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "kernels/kernel_set.hpp"
#include "packing/copy_block.hpp"
#include "swiglu/error.h"

namespace swiglu {
namespace {

using kernels::kPanelColumns;

constexpr std::size_t kHalf = kPanelColumns / 2;

// 16 columns each: half panel i holds units first_unit + 16·i …, those past `units` are zero.
struct Halves {
  const StridedMatrix& matrix;
  const StridedVector& bias;
  std::size_t units;
  std::size_t k;
  std::size_t first_unit;
  std::size_t count;
};

// offset(i): where half panel i goes, in floats from `panels`.
template <class Offset>
void pack_halves(const Halves& h, float* panels, Offset offset) {
  const auto valid = [&](std::size_t i) {
    const std::size_t unit = h.first_unit + i * kHalf;
    return unit < h.units ? std::min(kHalf, h.units - unit) : 0;
  };
  // [in,out]: 16 columns are one line of a long row. Several half panels at once read on along that row (1.9 × a memcpy
  // instead of 3 ×, 4096/11008 on one core); [out,in] has 16 long rows per half panel already, and more streams than
  // that only hurt.
  const std::size_t together = h.matrix.out_stride == 1 ? 16 : 1;
  for (std::size_t i0 = 0; i0 < h.count; i0 += together) {
    const std::size_t i1 = std::min(h.count, i0 + together);
    for (std::size_t i = i0; i < i1; ++i) {
      float* row = panels + offset(i);
      for (std::size_t c = 0; c < kHalf; ++c) {
        row[c] = c < valid(i) ? h.bias.value_or_zero(h.first_unit + i * kHalf + c) : 0.0f;
      }
    }
    for (std::size_t q0 = 0; q0 < h.k; q0 += kCopyRows) {
      const std::size_t rows = std::min(kCopyRows, h.k - q0);
      for (std::size_t i = i0; i < i1; ++i) {
        float* target = panels + offset(i) + (1 + q0) * kPanelColumns;
        const std::size_t columns = valid(i);
        if (columns > 0) copy_block(h.matrix.at(h.first_unit + i * kHalf, q0), h.matrix, columns, rows, target);
        for (std::size_t q = 0; q < rows && columns < kHalf; ++q) {
          std::fill(target + q * kPanelColumns + columns, target + q * kPanelColumns + kHalf, 0.0f);
        }
      }
    }
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
  const auto offset = [stride](std::size_t i) { return i * stride; };
  float* start = panels + first * stride;
  pack_halves({w.gate, w.gate_bias, w.d_ff, w.d_model, first * kHalf, last - first}, start, offset);
  pack_halves({w.up, w.up_bias, w.d_ff, w.d_model, first * kHalf, last - first}, start + kHalf, offset);
}

void pack_down(const BlockWeights& w, std::size_t first, std::size_t last, float* panels) {
  const std::size_t stride = (1 + w.d_ff) * kPanelColumns;
  const auto offset = [stride](std::size_t i) { return i / 2 * stride + i % 2 * kHalf; };
  pack_halves({w.down, w.down_bias, w.d_model, w.d_ff, first * kPanelColumns, 2 * (last - first)},
              panels + first * stride, offset);
}

}  // namespace swiglu
