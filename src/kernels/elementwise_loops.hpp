// Loops over arrays. The last, short vector goes through a stack buffer and the same code, so that an element has the
// same bits at every position (hard case N-04). Included by kernel_set_impl.hpp only.
#pragma once

#include <array>
#include <cstddef>

#include "kernels/halves.hpp"

namespace swiglu::kernels {
namespace {

// Vectors side by side, see group.hpp.
inline constexpr std::size_t kVectors = 4;

template <std::size_t K, class B>
[[gnu::always_inline]] inline Floats<B, K> load(const float* from) {
  Floats<B, K> vectors;
#pragma GCC unroll 8
  for (std::size_t s = 0; s < K; ++s) vectors[s] = B::load_unaligned(from + s * B::size);
  return vectors;
}

template <class B, std::size_t K>
[[gnu::always_inline]] inline void store(const Floats<B, K>& vectors, float* to) {
#pragma GCC unroll 8
  for (std::size_t s = 0; s < K; ++s) vectors[s].store_unaligned(to + s * B::size);
}

// The first of n floats, followed by zeros.
template <class B>
inline Floats<B, 1> load_short(const float* from, std::size_t n) {
  float whole[B::size] = {};
  for (std::size_t j = 0; j < n; ++j) whole[j] = from[j];
  return load<1, B>(whole);
}

template <class B>
inline void store_short(const Floats<B, 1>& vector, float* to, std::size_t n) {
  float whole[B::size];
  store(vector, whole);
  for (std::size_t j = 0; j < n; ++j) to[j] = whole[j];
}

// out[i] = f(in[i]…) for i < n. f maps Floats. Elements are read before any of the same vectors is written.
template <class B, class F, class... In>
[[gnu::always_inline]] inline void for_each_element(const F& f, float* out, std::size_t n, const In*... in) {
  std::size_t i = 0;
  for (; i + kVectors * B::size <= n; i += kVectors * B::size) store(f(load<kVectors, B>(in + i)...), out + i);
  for (; i + B::size <= n; i += B::size) store(f(load<1, B>(in + i)...), out + i);
  if (i < n) store_short(f(load_short<B>(in + i, n - i)...), out + i, n - i);
}

// The same for an f with two results.
template <class B, class F, class... In>
[[gnu::always_inline]] inline void for_each_element_pair(const F& f, float* first, float* second, std::size_t n,
                                                         const In*... in) {
  std::size_t i = 0;
  for (; i + B::size <= n; i += B::size) {
    const auto [a, b] = f(load<1, B>(in + i)...);
    store(a, first + i);
    store(b, second + i);
  }
  if (i < n) {
    const auto [a, b] = f(load_short<B>(in + i, n - i)...);
    store_short(a, first + i, n - i);
    store_short(b, second + i, n - i);
  }
}

}  // namespace
}  // namespace swiglu::kernels
