// N vectors that go through the same operations side by side. Included inside a per-ISA translation unit only.
//
// A long chain of dependent operations on one vector fills the scheduler with waiting instructions, whatever the
// reorder buffer could hold: SiLU took 33 cycles a vector on Zen 5, AVX2 and AVX-512 alike. Written so that N
// independent vectors take turns in every step, the same operations (and bits) take 22; the gate-up tile of 14 × 192
// went from 86 to 88 % of the FMA peak.
#pragma once

namespace swiglu::kernels {
namespace {

template <class B, int N>
struct Group {
  B v[N];
};

/// Chains side by side. Zen 5, ns a vector of silu for 1 / 2 / 3 / 4 / 6 / 8: AVX-512 8.3, 6.2, 5.7, 5.3, 4.8, 5.1;
/// AVX2 7.4, 5.9, 6.0, 5.4, 5.7, –. Inside the gate-up tiles 6 is no better than 4.
inline constexpr int kGroup = 4;

/// f applied to vector 0 of every argument, then to vector 1, …
template <class F, class B, int N, class... More>
[[gnu::always_inline]] inline Group<B, N> map(F f, const Group<B, N>& first, const More&... more) {
  Group<B, N> result;
#pragma GCC unroll 16
  for (int s = 0; s < N; ++s) result.v[s] = f(first.v[s], more.v[s]...);
  return result;
}

}  // namespace
}  // namespace swiglu::kernels
