// SiLU on xsimd batches: one sequence of operations for every ISA (contracts C3, C4).
// Included by kernel_set_impl.hpp only, inside a per-ISA translation unit.
#pragma once

#ifdef __FAST_MATH__
#error "swiglu must not be compiled with -ffast-math: its NaN, infinity and rounding promises would be void"
#endif

#include <cstdint>
#include <xsimd/xsimd.hpp>

#include "kernels/group.hpp"
#include "kernels/halves.hpp"

namespace swiglu::kernels {
namespace {

inline constexpr double kLog2OfE = 1.4426950408889634;

// base^x in double, given log2(base), for results in the normal range or NaN (which gives NaN):
//
//   base^x = 2^n·2^r,  n = round(x·log2(base)),  r = x·log2(base) - n,  |r| ≤ 1/2,  2^r = 1 + r·(c1 + c2·r + … +
//   c6·r^5)
//
// The coefficients are the minimax ones of the relative error, 2^-28.5 on |r| ≤ 0.5005: 0.044 ulp of a float. A term
// more would leave 0.001 and cost 6 % of SiLU's time.
template <class D, int N>
[[gnu::always_inline]] inline Group<D, N> power(double log2_of_base, const Group<D, N>& x) {
  using G = Group<D, N>;
  // Adding 1.5·2^52 rounds to an integer, and leaves it in the low bits: no float→int conversion, which would raise
  // FE_INVALID for NaN and differ between ISAs. The product is never rounded on its own.
  const G magic(6755399441055744.0);
  const G shifted = fma(x, G(log2_of_base), magic);
  const G r = fma(x, G(log2_of_base), magic - shifted);
  G p = fma(r, G(0x1.470d78a7cf86cp-13), G(0x1.5f737e6896fe9p-10));
  p = fma(p, r, G(0x1.3b270a7108b6ap-7));
  p = fma(p, r, G(0x1.c6ae709bf83ebp-5));
  p = fma(p, r, G(0x1.ebfbe2c9c7bbap-3));
  p = fma(p, r, G(0x1.62e43119116ffp-1));
  p = fma(p, r, G(1.0));
  return map(
      [](D y, D integer) {
        const auto exponent = xsimd::bitwise_cast<std::int64_t>(integer) << 52;
        return xsimd::bitwise_cast<double>(exponent + xsimd::bitwise_cast<std::int64_t>(y));
      },
      p, shifted);
}

// Below this silu(g) rounds to -0 (|g|·e^-|g| < 2^-150), which is also its limit at -∞.
inline constexpr float kSiluFloor = -110.0f;
// Above this 1 + e^-g rounds to 1 in double, and silu(g) = g.
inline constexpr double kSigmoidOne = 60.0;

// silu(g) = g / (1 + e^-g). silu(-∞) = -0, silu(+∞) = +∞, NaN stays NaN. One rounding, 0.55 ulp at most.
// Function objects, not lambdas: GCC leaves a lambda of this size out of line, with its vectors in memory.
struct SiluInDouble {
  template <class G>
  [[gnu::always_inline]] inline G operator()(const G& x) const {
    return x / (G(1.0) + power(-kLog2OfE, at_most(kSigmoidOne, x)));
  }
};

struct Silu {
  template <class B, std::size_t K>
  [[gnu::always_inline]] inline std::array<B, K> operator()(std::array<B, K> g) const {
#pragma GCC unroll 8
    for (std::size_t s = 0; s < K; ++s) g[s] = at_least(B(kSiluFloor), g[s]);
    return in_double(SiluInDouble(), g);
  }
};

}  // namespace
}  // namespace swiglu::kernels
