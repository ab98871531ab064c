// Fused multiply-add by one lane of a register, where the ISA has it: four columns of x per load instead of one.
#pragma once

#include <xsimd/xsimd.hpp>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace swiglu::kernels {
namespace {

template <class B>
struct LaneFma {
  static constexpr bool kAvailable = false;
};

#if defined(__aarch64__)
// The same rounding as fma of a broadcast, so the same bits. llvm-mca 19, 3 × 32 tile with prefetch, share of the FMA
// issue rate, one broadcast load per element of x → by lane: neoverse-v1 88 → 100 %, neoverse-n1 89 → 100 %,
// apple-m1 89 → 100 %. With dup + fmla (see below) 84, 84, 84 %.
template <>
struct LaneFma<xsimd::batch<float, xsimd::neon64>> {
  using B = xsimd::batch<float, xsimd::neon64>;
  static constexpr bool kAvailable = true;

  template <int LANE>
  static inline B fma(B x, B w, B acc) {
    // Assembly, since GCC turns vfmaq_laneq_f32 of a lane used more than once back into dup + fmla.
    float32x4_t sum = acc;
    asm("fmla %0.4s, %1.4s, %2.s[%3]" : "+w"(sum) : "w"(float32x4_t(w)), "w"(float32x4_t(x)), "i"(LANE));
    return B(sum);
  }
};
#endif

}  // namespace
}  // namespace swiglu::kernels
