// SiLU and the logistic sigmoid on xsimd batches: one sequence of operations for every ISA (contracts C3, C4).
// Included by kernel_set_impl.hpp only, inside a per-ISA translation unit.
#pragma once

#ifdef __FAST_MATH__
#error "swiglu must not be compiled with -ffast-math: its NaN, infinity and rounding promises would be void"
#endif

#include <cstdint>
#include <xsimd/xsimd.hpp>

#include "kernels/divide.hpp"
#include "kernels/group.hpp"

namespace swiglu::kernels {
namespace {

// 2^e for integers -126 ≤ e ≤ 127.
template <class B, class I>
[[gnu::always_inline]] inline B power_of_two(I e) {
  return xsimd::bitwise_cast<float>((e + I(127)) << 23);
}

// numerator / (1 + e^-g), rounded about once: the sigmoid for numerator = 1, SiLU for numerator = g.
//
//   e^-g = 2^n·(1 + p),  n = round(-g/ln 2),  p = e^r - 1 as a polynomial in r = -g - n·ln 2, |r| ≤ ln2/2
//   numerator / (1 + e^-g) = (numerator / D)·2^-max(n,0),  D = 2^-max(n,0) + 2^min(n,0)·(1 + p)
//
// so nothing overflows before the true result does, and the last step rounds gradually into the subnormals
// (implementations that clamp the exponent return 0 below -87; the true silu is a normal float down to -91.8).
// r, p and D carry what their rounding dropped (…_lo) and the quotient is corrected by one residual step, so that
// little more than the final rounding remains: 0.846 ulp at most over all floats, at -91.87 where results become
// subnormal; 1.096 in the samples of tests/silu_test.cpp without the …_lo terms; 1.480 on the portable set without
// hardware FMA. One IEEE division. Only fused multiply-adds that are written as such.
//
// g must be ≥ kSiluFloor or NaN. NaN gives NaN: every clamp is a compare-and-select that a NaN fails.
template <class B, int N>
[[gnu::always_inline]] inline Group<B, N> divide_by_one_plus_exp(const Group<B, N>& numerator, const Group<B, N>& g) {
  using I = xsimd::as_integer_t<B>;
  using xsimd::fma;
  // Above 87, e^-g < 2^-125 cannot change 1 + e^-g; the clamp keeps n ≥ -126.
  const auto t = map([](B x) { return xsimd::select(x > B(87.0f), B(87.0f), x); }, g);

  // Adding 1.5·2^23 rounds to an integer that can be read off the low mantissa bits: no float→int conversion, which
  // would raise FE_INVALID for NaN and differ between ISAs.
  const auto shifted = map([](B x) { return fma(x, B(-1.44269504f), B(12582912.0f)); }, t);
  const auto n = map([](B x) { return x - B(12582912.0f); }, shifted);

  // ln 2 = 0.693359375 - 2.12194440e-4; the first has 9 bits, so n·hi is exact for |n| < 2^15.
  const auto start = map([](B k, B x) { return fma(k, B(-0.693359375f), -x); }, n, t);
  const auto r = map([](B k, B x) { return fma(k, B(2.12194440e-4f), x); }, n, start);
  const auto r_lo = map([](B k, B x, B y) { return fma(k, B(2.12194440e-4f), x - y); }, n, start, r);
  // p = r + r²·(c2 + c3·r + …): weighted least squares (Lawson) on |r| ≤ 1.002·ln2/2, relative error of e^r 2^-28.2.
  auto c = map([](B x) { return fma(B(0x1.6a4154p-10f), x, B(0x1.1239c6p-7f)); }, r);
  c = map([](B y, B x) { return fma(y, x, B(0x1.5558bcp-5f)); }, c, r);
  c = map([](B y, B x) { return fma(y, x, B(0x1.555492p-3f)); }, c, r);
  c = map([](B y, B x) { return fma(y, x, B(0x1.fffffcp-2f)); }, c, r);
  const auto r2 = map([](B x) { return x * x; }, r);
  const auto p = map([](B x2, B y, B x) { return fma(x2, y, x); }, r2, c, r);
  const auto p_lo = map([](B x2, B y, B x, B z, B x_lo) { return fma(x2, y, x - z) + x_lo; }, r2, c, r, p, r_lo);
  const auto m = map([](B x) { return B(1.0f) + x; }, p);
  // The difference is exact: |p| < 1.
  const auto m_lo = map([](B x, B y, B x_lo) { return (x - (y - B(1.0f))) + x_lo; }, p, m, p_lo);

  // max(n, 0) is at most 159, too much for one power of two: 2^-max(n,0) = down1·down2.
  const auto exponent = [](B x) { return xsimd::bitwise_cast<std::int32_t>(x) - I(0x4B400000); };
  const auto positive = [exponent](B x) { return xsimd::max(exponent(x), I(0)); };
  const auto down1 = map([positive](B x) { return power_of_two<B, I>(-(positive(x) >> 1)); }, shifted);
  const auto down2 = map([positive](B x) { return power_of_two<B, I>((positive(x) >> 1) - positive(x)); }, shifted);
  const auto scale = map([&](B x) { return power_of_two<B, I>(exponent(x) - positive(x)); }, shifted);
  const auto one = map([](B x, B y) { return x * y; }, down1, down2);  // flushed where it no longer matters
  const auto e = map([](B x, B y) { return x * y; }, scale, m);
  const auto d = map([](B x, B y) { return x + y; }, one, e);
  const auto d_lo =
      map([](B s, B y_lo, B x, B y, B sum) { return fma(s, y_lo, xsimd::min(x, y) - (sum - xsimd::max(x, y))); }, scale,
          m_lo, one, e, d);

  const auto reciprocal = map([](B x) { return ieee_divide(B(1.0f), x); }, d);
  const auto q = map([](B x, B y) { return x * y; }, numerator, reciprocal);
  // fma(-q, …), not fnma: xsimd's fnma rounds twice on NEON.
  const auto residual = map([](B x, B y_lo, B y, B z) { return fma(-x, y_lo, fma(-x, y, z)); }, q, d_lo, d, numerator);
  // Where the residual says nothing q is already right: 0 - 0 = +0 would cost -0 its sign, ∞ - ∞ would make +∞ a NaN.
  const auto corrected = map([](B x, B y, B z) { return xsimd::select(xsimd::abs(x) > B(0.0f), fma(x, y, z), z); },
                             residual, reciprocal, q);
  return map([](B x, B y, B z) { return x * y * z; }, corrected, down1, down2);
}

// Below this silu(g) rounds to -0 (|g|·e^-|g| < 2^-150), which is also its limit at -∞.
inline constexpr float kSiluFloor = -110.0f;

// silu(g) = g / (1 + e^-g). silu(-∞) = -0, silu(+∞) = +∞, NaN stays NaN.
template <class B, int N>
[[gnu::always_inline]] inline Group<B, N> silu_of(const Group<B, N>& g) {
  const auto clamped = map([](B x) { return xsimd::select(x < B(kSiluFloor), B(kSiluFloor), x); }, g);
  return divide_by_one_plus_exp(clamped, clamped);
}

}  // namespace
}  // namespace swiglu::kernels
