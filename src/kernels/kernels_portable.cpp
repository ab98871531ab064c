#if !defined(__x86_64__)
#define XSIMD_WITH_EMULATED 1
#endif
#include "kernels/kernel_set_impl.hpp"

namespace swiglu::kernels {
namespace {

#if defined(__x86_64__)
using Baseline = xsimd::sse2;
#else
using Baseline = xsimd::emulated<128>;  // plain loops, for any machine
#endif

// 1 row × 8 vectors = 8 accumulators of 16 xmm: no fused multiply-add, so bits differ from the other sets (C3).
struct Config {
  using Arch = Baseline;
  static constexpr int kTileRows = 1;
  static constexpr int kTallRows = 0;
  static constexpr int panels_at_once(int) { return 1; }
  static constexpr Tuning tuning(CacheClass) { return streams_into_l1<Config>(192, 96, 64); }
};

}  // namespace

constexpr KernelSet kKernelSet_portable = make_kernel_set<Config>(Isa::portable);

}  // namespace swiglu::kernels
