// e^x, e^x - 1 and tanh on groups of f64 vectors: one sequence of operations for every ISA (contracts C3, C4).
// Included by kernel_set_impl.hpp only, inside a per-ISA translation unit.
#pragma once

#ifdef __FAST_MATH__
#error "swiglu must not be compiled with -ffast-math: its NaN, infinity and rounding promises would be void"
#endif

#include <cstdint>
#include <xsimd/xsimd.hpp>

#include "kernels/group.hpp"

namespace swiglu::kernels {
namespace {

inline constexpr double kLog2OfE = 1.4426950408889634;

// e^±x for |x| above this is of no interest to any caller (its result or its counterpart has long left the floats), and
// below it everything stays a normal double.
inline constexpr double kExpLimit = 700.0;

// x·log2(base) = n + r with an integer n and |r| ≤ 1/2. `shifted` holds n in its low mantissa bits.
template <class G>
struct Exponent {
  G shifted, r;

  // Adding 1.5·2^52 rounds to an integer: no float→int conversion, which would raise FE_INVALID for NaN and differ
  // between ISAs. The product is never rounded on its own.
  [[gnu::always_inline]] inline Exponent(double log2_of_base, const G& x) {
    const G magic(6755399441055744.0);
    shifted = fma(x, G(log2_of_base), magic);
    r = fma(x, G(log2_of_base), magic - shifted);
  }
};

// 2^n·y, by adding n to the exponent of y, 1/2 ≤ y ≤ 2.
template <class D, int N>
[[gnu::always_inline]] inline Group<D, N> scale(const Group<D, N>& y, const Group<D, N>& shifted) {
  return map(
      [](D z, D integer) {
        const auto exponent = xsimd::bitwise_cast<std::int64_t>(integer) << 52;
        return xsimd::bitwise_cast<double>(exponent + xsimd::bitwise_cast<std::int64_t>(z));
      },
      y, shifted);
}

// base^x, given log2(base), where the result is a normal double; NaN gives NaN. 2^r = 1 + c1·r + … + c6·r^6, minimax of
// the relative error on |r| ≤ 0.5005: 2^-28.5, or 0.044 ulp of a float. A term more would leave 0.001 and cost 6 % of
// SiLU's time.
template <class D, int N>
[[gnu::always_inline]] inline Group<D, N> power(double log2_of_base, const Group<D, N>& x) {
  using G = Group<D, N>;
  const Exponent<G> e(log2_of_base, x);
  G p = fma(e.r, G(0x1.470d78a7cf86cp-13), G(0x1.5f737e6896fe9p-10));
  p = fma(p, e.r, G(0x1.3b270a7108b6ap-7));
  p = fma(p, e.r, G(0x1.c6ae709bf83ebp-5));
  p = fma(p, e.r, G(0x1.ebfbe2c9c7bbap-3));
  p = fma(p, e.r, G(0x1.62e43119116ffp-1));
  p = fma(p, e.r, G(1.0));
  return scale(p, e.shifted);
}

// base^x = 2^n·(1 + p) in parts, from which base^x - 1 = 2^n·p + (2^n - 1) is right to 2^-31 of itself, also next to
// x = 0. p = r·(c1 + … + c7·r^6), minimax of its own relative error on |r| ≤ 0.5005: 2^-32.
template <class G>
struct PowerParts {
  G two_to_n, p;

  [[gnu::always_inline]] inline PowerParts(double log2_of_base, const G& x) {
    const Exponent<G> e(log2_of_base, x);
    G q = fma(e.r, G(0x1.ffcbef409d8c9p-17), G(0x1.44400137496fbp-13));
    q = fma(q, e.r, G(0x1.5d88be65988e9p-10));
    q = fma(q, e.r, G(0x1.3b2a1b97a0659p-7));
    q = fma(q, e.r, G(0x1.c6b08cb051910p-5));
    q = fma(q, e.r, G(0x1.ebfbe045a6533p-3));
    p = e.r * fma(q, e.r, G(0x1.62e42fefd387fp-1));
    two_to_n = scale(G(1.0), e.shifted);
  }

  [[gnu::always_inline]] inline G power() const { return fma(two_to_n, p, two_to_n); }
  [[gnu::always_inline]] inline G power_minus_one() const { return fma(two_to_n, p, two_to_n - G(1.0)); }
};

// tanh(x) = (e^2x - 1) / (e^2x + 1), by |x| and with the sign of x, also of zeros. ±1 at ±∞, NaN stays NaN.
template <class D, int N>
[[gnu::always_inline]] inline Group<D, N> tanh_of(const Group<D, N>& x) {
  using G = Group<D, N>;
  const G m = PowerParts<G>(2 * kLog2OfE, at_most(30.0, magnitude(x))).power_minus_one();  // tanh(30) = 1 - 2^-85
  return map([](D y, D sign) { return xsimd::copysign(y, sign); }, m / (m + G(2.0)), x);
}

// 1 - tanh²(x), without the subtraction: 4·e^-2|x| / (1 + e^-2|x|)².
template <class D, int N>
[[gnu::always_inline]] inline Group<D, N> sech_squared(const Group<D, N>& x) {
  using G = Group<D, N>;
  const G e = power(-2 * kLog2OfE, at_most(kExpLimit / 2, magnitude(x)));
  const G d = G(1.0) + e;
  return G(4.0) * e / (d * d);
}

}  // namespace
}  // namespace swiglu::kernels
