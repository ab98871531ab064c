// N vectors that go through the same operations side by side. Included inside a per-ISA translation unit only.
//
// A long chain of dependent operations on one vector fills the scheduler with waiting instructions, whatever the
// reorder buffer could hold. Written so that N independent vectors take turns in every step, the same operations (and
// bits) overlap: SiLU, Zen 5, ns a vector of 16 (AVX-512) or 8 (AVX2) floats for 1, 2, 3, 4 f32 vectors at a time (each
// two vectors in double): AVX-512 5.1, 4.3, 4.0, 3.8; AVX2 4.7, 4.2, 4.0, 4.0.
#pragma once

#include <cstdint>
#include <xsimd/xsimd.hpp>

#include "kernels/clamp.hpp"
#include "kernels/divide.hpp"

namespace swiglu::kernels {
namespace {

template <class D, int N>
struct Group {
  D v[N];

  Group() = default;
  [[gnu::always_inline]] inline Group(double x) {  // NOLINT: a number among vectors, as xsimd's batches have it
#pragma GCC unroll 16
    for (int s = 0; s < N; ++s) v[s] = D(x);
  }
};

/// f applied to vector 0 of every argument, then to vector 1, …
template <class F, class D, int N, class... More>
[[gnu::always_inline]] inline Group<D, N> map(F f, const Group<D, N>& first, const More&... more) {
  Group<D, N> result;
#pragma GCC unroll 16
  for (int s = 0; s < N; ++s) result.v[s] = f(first.v[s], more.v[s]...);
  return result;
}

template <class D, int N>
[[gnu::always_inline]] inline Group<D, N> operator+(const Group<D, N>& a, const Group<D, N>& b) {
  return map([](D x, D y) { return x + y; }, a, b);
}

template <class D, int N>
[[gnu::always_inline]] inline Group<D, N> operator-(const Group<D, N>& a, const Group<D, N>& b) {
  return map([](D x, D y) { return x - y; }, a, b);
}

template <class D, int N>
[[gnu::always_inline]] inline Group<D, N> operator*(const Group<D, N>& a, const Group<D, N>& b) {
  return map([](D x, D y) { return x * y; }, a, b);
}

template <class D, int N>
[[gnu::always_inline]] inline Group<D, N> operator/(const Group<D, N>& a, const Group<D, N>& b) {
  return map([](D x, D y) { return ieee_divide(x, y); }, a, b);
}

/// a·b + c, rounded once (twice on the portable set of x86-64, which has no such instruction).
template <class D, int N>
[[gnu::always_inline]] inline Group<D, N> fma(const Group<D, N>& a, const Group<D, N>& b, const Group<D, N>& c) {
  return map([](D x, D y, D z) { return xsimd::fma(x, y, z); }, a, b, c);
}

template <class D, int N>
[[gnu::always_inline]] inline Group<D, N> at_least(double low, const Group<D, N>& x) {
  return map([low](D y) { return at_least(D(low), y); }, x);
}

template <class D, int N>
[[gnu::always_inline]] inline Group<D, N> at_most(double high, const Group<D, N>& x) {
  return map([high](D y) { return at_most(D(high), y); }, x);
}

template <class D, int N>
[[gnu::always_inline]] inline Group<D, N> magnitude(const Group<D, N>& x) {
  return map([](D y) { return xsimd::abs(y); }, x);
}

/// x > limit ? yes : no; `no` for NaN.
template <class D, int N>
[[gnu::always_inline]] inline Group<D, N> where_above(const Group<D, N>& x, double limit, const Group<D, N>& yes,
                                                      const Group<D, N>& no) {
  return map([limit](D y, D a, D b) { return xsimd::select(y > D(limit), a, b); }, x, yes, no);
}

}  // namespace
}  // namespace swiglu::kernels
