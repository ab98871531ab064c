// silu and silu·up over arrays. The last, short vector goes through a stack buffer and the same code, so that an
// element has the same bits at every position (hard case N-04). Included by kernel_set_impl.hpp only.
#pragma once

#include <cstddef>

#include "kernels/activation.hpp"

namespace swiglu::kernels {
namespace {

template <class Arch>
void silu_loop(const float* g, float* out, std::size_t n) {
  using B = xsimd::batch<float, Arch>;
  std::size_t i = 0;
  for (; i + B::size <= n; i += B::size) silu_of(B::load_unaligned(g + i)).store_unaligned(out + i);
  if (i < n) {
    float tail[B::size] = {};
    for (std::size_t j = i; j < n; ++j) tail[j - i] = g[j];
    silu_of(B::load_unaligned(tail)).store_unaligned(tail);
    for (std::size_t j = i; j < n; ++j) out[j] = tail[j - i];
  }
}

template <class Arch>
void silu_mul_loop(const float* gate, const float* up, float* out, std::size_t n) {
  using B = xsimd::batch<float, Arch>;
  std::size_t i = 0;
  for (; i + B::size <= n; i += B::size) {
    (silu_of(B::load_unaligned(gate + i)) * B::load_unaligned(up + i)).store_unaligned(out + i);
  }
  if (i < n) {
    float g[B::size] = {}, u[B::size] = {};
    for (std::size_t j = i; j < n; ++j) {
      g[j - i] = gate[j];
      u[j - i] = up[j];
    }
    (silu_of(B::load_unaligned(g)) * B::load_unaligned(u)).store_unaligned(g);
    for (std::size_t j = i; j < n; ++j) out[j] = g[j - i];
  }
}

}  // namespace
}  // namespace swiglu::kernels
