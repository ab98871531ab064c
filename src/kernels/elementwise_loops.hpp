// silu and silu·up over arrays. The last, short vector goes through a stack buffer and the same code, so that an
// element has the same bits at every position (hard case N-04). Included by kernel_set_impl.hpp only.
#pragma once

#include <cstddef>

#include "kernels/activation.hpp"

namespace swiglu::kernels {
namespace {

// silu of N vectors, times up unless that is null.
template <class B, int N>
[[gnu::always_inline]] inline void silu_vectors(const float* gate, const float* up, float* out) {
  Group<B, N> g;
#pragma GCC unroll 16
  for (int s = 0; s < N; ++s) g.v[s] = B::load_unaligned(gate + s * B::size);
  const Group<B, N> h = silu_of(g);
#pragma GCC unroll 16
  for (int s = 0; s < N; ++s) {
    const B result = up == nullptr ? h.v[s] : h.v[s] * B::load_unaligned(up + s * B::size);
    result.store_unaligned(out + s * B::size);
  }
}

template <class Arch, bool MULTIPLY>
[[gnu::always_inline]] inline void silu_array(const float* gate, const float* up, float* out, std::size_t n) {
  using B = xsimd::batch<float, Arch>;
  constexpr int N = kGroup;
  const auto up_at = [up](std::size_t i) { return MULTIPLY ? up + i : nullptr; };
  std::size_t i = 0;
  for (; i + N * B::size <= n; i += N * B::size) silu_vectors<B, N>(gate + i, up_at(i), out + i);
  for (; i + B::size <= n; i += B::size) silu_vectors<B, 1>(gate + i, up_at(i), out + i);
  if (i < n) {
    float g[B::size] = {}, u[B::size] = {};
    for (std::size_t j = i; j < n; ++j) {
      g[j - i] = gate[j];
      if (MULTIPLY) u[j - i] = up[j];
    }
    silu_vectors<B, 1>(g, MULTIPLY ? u : nullptr, g);
    for (std::size_t j = i; j < n; ++j) out[j] = g[j - i];
  }
}

template <class Arch>
void silu_loop(const float* g, float* out, std::size_t n) {
  silu_array<Arch, false>(g, nullptr, out, n);
}

template <class Arch>
void silu_mul_loop(const float* gate, const float* up, float* out, std::size_t n) {
  silu_array<Arch, true>(gate, up, out, n);
}

}  // namespace
}  // namespace swiglu::kernels
