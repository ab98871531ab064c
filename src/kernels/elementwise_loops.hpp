// Activations over arrays. The last, short vector goes through a stack buffer and the same code, so that an element has
// the same bits at every position (hard case N-04). Included by kernel_set_impl.hpp only.
#pragma once

#include <array>
#include <cstddef>

#include "kernels/activation.hpp"

namespace swiglu::kernels {
namespace {

// Vectors side by side, see group.hpp.
inline constexpr std::size_t kVectors = 4;

template <class B, std::size_t K>
[[gnu::always_inline]] inline std::array<B, K> load(const float* from) {
  std::array<B, K> vectors;
#pragma GCC unroll 8
  for (std::size_t s = 0; s < K; ++s) vectors[s] = B::load_unaligned(from + s * B::size);
  return vectors;
}

// out[i] = f(in[i]…) for i < n. f maps arrays of vectors.
template <class B, class F, class... In>
[[gnu::always_inline]] inline void for_each_element(F f, float* out, std::size_t n, const In*... in) {
  constexpr std::size_t K = kVectors;
  std::size_t i = 0;
  for (; i + K * B::size <= n; i += K * B::size) {
    const std::array<B, K> result = f(load<B, K>(in + i)...);
#pragma GCC unroll 8
    for (std::size_t s = 0; s < K; ++s) result[s].store_unaligned(out + i + s * B::size);
  }
  for (; i + B::size <= n; i += B::size) f(load<B, 1>(in + i)...)[0].store_unaligned(out + i);
  if (i < n) {
    const auto load_short = [&](const float* from) {
      float whole[B::size] = {};
      for (std::size_t j = i; j < n; ++j) whole[j - i] = from[j];
      return load<B, 1>(whole);
    };
    float whole[B::size];
    f(load_short(in)...)[0].store_unaligned(whole);
    for (std::size_t j = i; j < n; ++j) out[j] = whole[j - i];
  }
}

// act(gate)·up, rounded once more.
template <class Activation>
struct TimesUp {
  template <class V>
  [[gnu::always_inline]] inline V operator()(const V& gate, const V& up) const {
    V h = Activation()(gate);
#pragma GCC unroll 8
    for (std::size_t s = 0; s < h.size(); ++s) h[s] = h[s] * up[s];
    return h;
  }
};

template <class Arch>
void silu_loop(const float* g, float* out, std::size_t n) {
  for_each_element<xsimd::batch<float, Arch>>(Silu(), out, n, g);
}

template <class Arch>
void silu_mul_loop(const float* gate, const float* up, float* out, std::size_t n) {
  for_each_element<xsimd::batch<float, Arch>>(TimesUp<Silu>(), out, n, gate, up);
}

}  // namespace
}  // namespace swiglu::kernels
