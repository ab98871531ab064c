// f32 vectors as twice as many f64 vectors, and back. Included inside a per-ISA translation unit only.
//
// Activations are computed in double and rounded once. That is both shorter and better than f32 with carried rounding
// errors: SiLU took 50 operations a vector for 0.85 ulp, and takes 36 for 0.55.
#pragma once

#include <array>
#include <cstddef>
#include <xsimd/xsimd.hpp>

#include "kernels/group.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace swiglu::kernels {
namespace {

// One pair of overloads per register type; xsimd has no conversion between batches of different lane counts.
#if defined(__AVX512F__)
inline __m512d lower_half(__m512 x) { return _mm512_cvtps_pd(_mm512_castps512_ps256(x)); }
inline __m512d upper_half(__m512 x) { return _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1)); }
inline __m512 join(__m512d lo, __m512d hi) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(lo)), _mm512_cvtpd_ps(hi), 1);
}
#endif
#if defined(__AVX2__)
inline __m256d lower_half(__m256 x) { return _mm256_cvtps_pd(_mm256_castps256_ps128(x)); }
inline __m256d upper_half(__m256 x) { return _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1)); }
inline __m256 join(__m256d lo, __m256d hi) { return _mm256_set_m128(_mm256_cvtpd_ps(hi), _mm256_cvtpd_ps(lo)); }
#endif
#if defined(__x86_64__)
inline __m128d lower_half(__m128 x) { return _mm_cvtps_pd(x); }
inline __m128d upper_half(__m128 x) { return _mm_cvtps_pd(_mm_movehl_ps(x, x)); }
inline __m128 join(__m128d lo, __m128d hi) { return _mm_movelh_ps(_mm_cvtpd_ps(lo), _mm_cvtpd_ps(hi)); }
#elif defined(__aarch64__)
inline float64x2_t lower_half(float32x4_t x) { return vcvt_f64_f32(vget_low_f32(x)); }
inline float64x2_t upper_half(float32x4_t x) { return vcvt_high_f64_f32(x); }
inline float32x4_t join(float64x2_t lo, float64x2_t hi) { return vcvt_high_f32_f64(vcvt_f32_f64(lo), hi); }
#endif
inline std::array<double, 2> lower_half(const std::array<float, 4>& x) { return {x[0], x[1]}; }
inline std::array<double, 2> upper_half(const std::array<float, 4>& x) { return {x[2], x[3]}; }
inline std::array<float, 4> join(const std::array<double, 2>& lo, const std::array<double, 2>& hi) {
  return {static_cast<float>(lo[0]), static_cast<float>(lo[1]), static_cast<float>(hi[0]), static_cast<float>(hi[1])};
}

/// K vectors of floats.
template <class B, std::size_t K>
using Floats = std::array<B, K>;

/// The same numbers in double, two vectors for each.
template <class B, std::size_t K>
[[gnu::always_inline]] inline auto widen(const Floats<B, K>& vectors) {
  using D = xsimd::batch<double, typename B::arch_type>;
  using R = typename B::register_type;
  Group<D, 2 * K> halves;
#pragma GCC unroll 8
  for (std::size_t s = 0; s < K; ++s) {
    halves.v[2 * s] = D(lower_half(R(vectors[s])));
    halves.v[2 * s + 1] = D(upper_half(R(vectors[s])));
  }
  return halves;
}

/// Rounded to nearest even, gradually into the subnormals.
template <class B, class D, int N>
[[gnu::always_inline]] inline Floats<B, N / 2> narrow(const Group<D, N>& halves) {
  using R = typename D::register_type;
  Floats<B, N / 2> rounded;
#pragma GCC unroll 8
  for (int s = 0; s < N / 2; ++s) rounded[s] = B(join(R(halves.v[2 * s]), R(halves.v[2 * s + 1])));
  return rounded;
}

}  // namespace
}  // namespace swiglu::kernels
