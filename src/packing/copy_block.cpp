#include "packing/copy_block.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/kernel_set.hpp"

namespace swiglu {
namespace {

using kernels::kPanelColumns;

// Four floats in the baseline's vector registers (SSE2, NEON). Packing is bound by memory: wider ones bring nothing.
using Quad = float __attribute__((vector_size(16)));

Quad load(const float* p) {
  Quad q;
  std::memcpy(&q, p, sizeof q);
  return q;
}

void store(float* p, Quad q) { std::memcpy(p, &q, sizeof q); }

// target[q][c] = source[c][q] for 4 × 4 elements, target rows a panel row apart.
void transpose_4x4(const float* source, std::size_t stride, float* target) {
  const Quad a = load(source), b = load(source + stride), c = load(source + 2 * stride), d = load(source + 3 * stride);
  const Quad ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Quad cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store(target, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
  store(target + kPanelColumns, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
  store(target + 2 * kPanelColumns, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
  store(target + 3 * kPanelColumns, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
}

}  // namespace

// The two layouts that models have get a path of their own: whole lines in, whole lines out. One element at a time,
// creation takes 2.1 × ([out,in]) and 4.2 × ([in,out]) a memcpy of the weights (4096/11008, one core).
void copy_block(const float* source, const StridedMatrix& m, std::size_t columns, std::size_t rows, float* target) {
  if (m.out_stride == 1) {
    for (std::size_t q = 0; q < rows; ++q) std::copy_n(source + q * m.in_stride, columns, target + q * kPanelColumns);
    return;
  }
  std::size_t c = 0;
  if (m.in_stride == 1 && rows == kCopyRows) {
    for (; c + 4 <= columns; c += 4) {
      for (std::size_t q = 0; q < kCopyRows; q += 4) {
        transpose_4x4(source + c * m.out_stride + q, m.out_stride, target + q * kPanelColumns + c);
      }
    }
  }
  for (; c < columns; ++c) {
    for (std::size_t q = 0; q < rows; ++q) target[q * kPanelColumns + c] = source[c * m.out_stride + q * m.in_stride];
  }
}

}  // namespace swiglu
