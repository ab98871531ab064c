// The logistic sigmoid, SiLU and its slope on groups of f64 vectors.
// Included by kernel_set_impl.hpp only, inside a per-ISA translation unit.
#pragma once

#include "kernels/exponential.hpp"

namespace swiglu::kernels {
namespace {

// Above this 1 + e^-x is 1 in double.
inline constexpr double kSigmoidOne = 60.0;
// Below this silu(x), like every activation between it and 0, rounds to the float -0 (|x|·e^-|x| < 2^-150), which is
// also its limit at -∞.
inline constexpr double kSiluFloor = -110.0;

// σ(x) = 1 / (1 + e^-x). 0 and 1 at ∓∞, NaN stays NaN.
template <class D, int N>
[[gnu::always_inline]] inline Group<D, N> sigmoid(const Group<D, N>& x) {
  using G = Group<D, N>;
  return G(1.0) / (G(1.0) + power(-kLog2OfE, at_least(-kExpLimit, at_most(kSigmoidOne, x))));
}

// silu(x) = x / (1 + e^-x). silu(-∞) = -0, silu(+∞) = +∞, NaN stays NaN. Rounded to float 0.544 ulp at most.
// The floor is far below kSiluFloor, so that a caller may still divide by a small β.
template <class D, int N>
[[gnu::always_inline]] inline Group<D, N> silu(const Group<D, N>& x) {
  using G = Group<D, N>;
  const G y = at_least(-kExpLimit, x);
  return y / (G(1.0) + power(-kLog2OfE, at_most(kSigmoidOne, y)));
}

// silu'(x) = σ(x)·(1 + x·σ(-x)), right in its last bits also next to its zero x0 = -1.2784…: silu'(x) + silu'(-x) = 1,
// so that x ≤ 0 is enough, and there silu'(x) = e·(1 + x + e)/(1 + e)² with e = e^x. The bracket vanishes at x0, where
// e^x0 = -1 - x0; with d = x - x0 it is d + e^x0·(e^d - 1), two terms of one sign. x0 is given in two parts.
template <class D, int N>
[[gnu::always_inline]] inline Group<D, N> silu_slope(const Group<D, N>& x) {
  using G = Group<D, N>;
  constexpr double kZero = -0x1.474973c84120bp+0, kZeroRest = -0x1.f8d74bc9ac154p-54;
  constexpr double kExpOfZero = -(1 + kZero) - kZeroRest;
  const G y = at_least(-kExpLimit, G(0.0) - magnitude(x));
  const G d = (y - G(kZero)) - G(kZeroRest);
  const PowerParts<G> exp_of_d(kLog2OfE, d);
  const G e = G(kExpOfZero) * exp_of_d.power();
  const G one_plus_e = G(1.0) + e;
  const G left = e * fma(exp_of_d.power_minus_one(), G(kExpOfZero), d) / (one_plus_e * one_plus_e);
  return where_above(x, 0.0, G(1.0) - left, left);
}

}  // namespace
}  // namespace swiglu::kernels
