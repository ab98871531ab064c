// SiLU and the logistic sigmoid on xsimd batches: one sequence of operations for every ISA (contracts C3, C4).
// Included by kernel_set_impl.hpp only, inside a per-ISA translation unit.
#pragma once

#ifdef __FAST_MATH__
#error "swiglu must not be compiled with -ffast-math: its NaN, infinity and rounding promises would be void"
#endif

#include <cstdint>
#include <xsimd/xsimd.hpp>

#include "kernels/divide.hpp"

namespace swiglu::kernels {
namespace {

// Bits of a float whose value is 2^e, -126 ≤ e ≤ 127.
template <class I>
inline I power_of_two_bits(I e) {
  return (e + I(127)) << 23;
}

// numerator / (1 + e^-g), rounded about once: the sigmoid for numerator = 1, SiLU for numerator = g.
//
//   e^-g = 2^n·(1 + p),  n = round(-g/ln 2),  p = e^r - 1 as a polynomial in r = -g - n·ln 2, |r| ≤ ln2/2
//   numerator / (1 + e^-g) = (numerator / D)·2^-max(n,0),  D = 2^-max(n,0) + 2^min(n,0)·(1 + p)
//
// so nothing overflows before the true result does, and the last step rounds gradually into the subnormals
// (implementations that clamp the exponent return 0 below -87; the true silu is a normal float down to -91.8).
// r, p and D carry what their rounding dropped (…_lo) and the quotient is corrected by one residual step, so that little
// more than the final rounding remains: 0.83 ulp at most, 1.096 without the …_lo terms (tests/silu_test.cpp; without
// hardware FMA, on the portable set, 1.44). One IEEE division. Only fused multiply-adds that are written as such.
//
// g must be ≥ kSiluFloor or NaN (clamp_gate). NaN gives NaN: every clamp is a compare-and-select that a NaN fails.
template <class B>
inline B divide_by_one_plus_exp(B numerator, B g) {
  using I = xsimd::as_integer_t<B>;
  // Above 87, e^-g < 2^-125 cannot change 1 + e^-g; the clamp keeps n ≥ -126.
  const B t = xsimd::select(g > B(87.0f), B(87.0f), g);

  // Adding 1.5·2^23 rounds to an integer that can be read off the low mantissa bits: no float→int conversion, which
  // would raise FE_INVALID for NaN and differ between ISAs.
  const B magic(12582912.0f);
  const B shifted = xsimd::fma(t, B(-1.44269504f), magic);
  const B n = shifted - magic;
  const I ni = xsimd::bitwise_cast<std::int32_t>(shifted) - I(0x4B400000);

  // ln 2 = 0.693359375 - 2.12194440e-4; the first has 9 bits, so n·hi is exact for |n| < 2^15.
  const B start = xsimd::fma(n, B(-0.693359375f), -t);
  const B r = xsimd::fma(n, B(2.12194440e-4f), start);
  const B r_lo = xsimd::fma(n, B(2.12194440e-4f), start - r);  // what the rounding of r dropped
  // p = r + r²·(c2 + c3·r + …): weighted least squares (Lawson) on |r| ≤ 1.002·ln2/2, relative error of e^r 2^-28.2.
  B c(0x1.6a4154p-10f);
  c = xsimd::fma(c, r, B(0x1.1239c6p-7f));
  c = xsimd::fma(c, r, B(0x1.5558bcp-5f));
  c = xsimd::fma(c, r, B(0x1.555492p-3f));
  c = xsimd::fma(c, r, B(0x1.fffffcp-2f));
  const B r2 = r * r;
  const B p = xsimd::fma(r2, c, r);
  const B p_lo = xsimd::fma(r2, c, r - p) + r_lo;
  const B m = B(1.0f) + p;
  const B m_lo = (p - (m - B(1.0f))) + p_lo;  // the difference is exact: |p| < 1

  const I positive = xsimd::max(ni, I(0));                                           // 0 … 159
  const B down1 = xsimd::bitwise_cast<float>(power_of_two_bits<I>(-(positive >> 1)));  // 2^-⌊n/2⌋
  const B down2 = xsimd::bitwise_cast<float>(power_of_two_bits<I>((positive >> 1) - positive));
  const B scale = xsimd::bitwise_cast<float>(power_of_two_bits<I>(ni - positive));     // 2^min(n,0)
  const B one = down1 * down2;  // 2^-max(n,0), flushed below 2^-149 where it no longer matters
  const B e = scale * m;
  const B d = one + e;
  const B d_lo = xsimd::fma(scale, m_lo, xsimd::min(one, e) - (d - xsimd::max(one, e)));

  const B reciprocal = ieee_divide(B(1.0f), d);
  const B q = numerator * reciprocal;
  // fma(-q, …), not fnma: xsimd's fnma rounds twice on NEON.
  const B residual = xsimd::fma(-q, d_lo, xsimd::fma(-q, d, numerator));
  // Where the residual says nothing q is already right: 0 - 0 = +0 would cost -0 its sign, ∞ - ∞ would make +∞ a NaN.
  const B corrected = xsimd::select(xsimd::abs(residual) > B(0.0f), xsimd::fma(residual, reciprocal, q), q);
  return corrected * down1 * down2;
}

// Below this silu(g) rounds to -0 (|g|·e^-|g| < 2^-150), which is also its limit at -∞.
inline constexpr float kSiluFloor = -110.0f;

// silu(g) = g / (1 + e^-g). silu(-∞) = -0, silu(+∞) = +∞, NaN stays NaN.
template <class B>
inline B silu_of(B g) {
  const B clamped = xsimd::select(g < B(kSiluFloor), B(kSiluFloor), g);
  return divide_by_one_plus_exp(clamped, clamped);
}

}  // namespace
}  // namespace swiglu::kernels
