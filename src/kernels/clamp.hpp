// Clamps that a NaN passes. Included inside a per-ISA translation unit only.
#pragma once

#include <xsimd/xsimd.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace swiglu::kernels {
namespace {

// x86's max and min return their second operand when one of them is NaN: half the cost of a compare and a select.
// Not xsimd::max: its versions disagree on which operand comes second.
#if defined(__AVX512F__)
inline __m512 max_or_nan(__m512 bound, __m512 x) { return _mm512_max_ps(bound, x); }
inline __m512d max_or_nan(__m512d bound, __m512d x) { return _mm512_max_pd(bound, x); }
inline __m512 min_or_nan(__m512 bound, __m512 x) { return _mm512_min_ps(bound, x); }
inline __m512d min_or_nan(__m512d bound, __m512d x) { return _mm512_min_pd(bound, x); }
#endif
#if defined(__AVX2__)
inline __m256 max_or_nan(__m256 bound, __m256 x) { return _mm256_max_ps(bound, x); }
inline __m256d max_or_nan(__m256d bound, __m256d x) { return _mm256_max_pd(bound, x); }
inline __m256 min_or_nan(__m256 bound, __m256 x) { return _mm256_min_ps(bound, x); }
inline __m256d min_or_nan(__m256d bound, __m256d x) { return _mm256_min_pd(bound, x); }
#endif
#if defined(__x86_64__)
inline __m128 max_or_nan(__m128 bound, __m128 x) { return _mm_max_ps(bound, x); }
inline __m128d max_or_nan(__m128d bound, __m128d x) { return _mm_max_pd(bound, x); }
inline __m128 min_or_nan(__m128 bound, __m128 x) { return _mm_min_ps(bound, x); }
inline __m128d min_or_nan(__m128d bound, __m128d x) { return _mm_min_pd(bound, x); }
#endif

/// x, but at least `low`; NaN stays NaN.
template <class B>
[[gnu::always_inline]] inline B at_least(B low, B x) {
#if defined(__x86_64__)
  using R = typename B::register_type;
  return B(max_or_nan(R(low), R(x)));
#else
  return xsimd::select(x < low, low, x);
#endif
}

/// x, but at most `high`; NaN stays NaN.
template <class B>
[[gnu::always_inline]] inline B at_most(B high, B x) {
#if defined(__x86_64__)
  using R = typename B::register_type;
  return B(min_or_nan(R(high), R(x)));
#else
  return xsimd::select(x > high, high, x);
#endif
}

}  // namespace
}  // namespace swiglu::kernels
