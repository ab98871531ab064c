#include "kernels/kernel_set_impl.hpp"

namespace swiglu::kernels {
namespace {

// 3 rows × 4 vectors = 12 accumulators + 3 broadcasts + 1 panel vector = 16 ymm.
struct Config {
  using Arch = xsimd::fma3<xsimd::avx2>;
  static constexpr int kTileRows = 3;
  static constexpr int panels_at_once(int mr) { return mr == 1 ? 2 : 1; }
  static constexpr Tuning tuning(CacheClass caches) {
    // Zen 4, one core, cold, % of the roofline at T = 1, 2, 3 for 576/1536: prefetch 96 (64) rows ahead 95, 94, 87; 32
    // rows 101, 97, 79; none 104, 101, 98. k blocks of 192 / 384 / 576 / 768 at 1024/2816, T = 12: 90, 91, 92, 92; T =
    // 64: 90, 91, 92, 92.
    if (caches == CacheClass::small_l1) return {576, 0, {}};
    return streams_into_l1<Config>(192, 96, 64);
  }
};

}  // namespace

constexpr KernelSet kKernelSet_avx2 = make_kernel_set<Config>(Isa::avx2);

}  // namespace swiglu::kernels
