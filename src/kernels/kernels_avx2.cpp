#include "kernels/kernel_set_impl.hpp"

namespace swiglu::kernels {
namespace {

// 3 rows × 4 vectors = 12 accumulators + 3 broadcasts + 1 panel vector = 16 ymm.
struct Config {
  using Arch = xsimd::fma3<xsimd::avx2>;
  static constexpr int kTileRows = 3;
  // 5 rows × 2 vectors. Two rows × 4 are 8 chains of multiply-adds, each 4 cycles long, for two units: not one may be
  // late. From L2 they give 75 % of the peak, 10 chains 95, 12 chains 97 (Zen 4). % of the roofline, 3s and 2s → 5s and
  // 3s, 1024/2816, one core, cold: T = 8: 83 → 89, 10: 78 → 88, 11: 87 → 92, 16: 86 → 94, 32: 92 → 94. Six rows in
  // two passes give no more than three in one.
  static constexpr int kTallRows = 5;
  static constexpr int panels_at_once(int mr) { return mr == 1 ? 2 : 1; }
  static constexpr Tuning tuning(CacheClass caches) {
    // Zen 4, one core, cold, % of the roofline at T = 1, 2, 3 for 576/1536: prefetch 96 (64) rows ahead 95, 94, 87; 32
    // rows 101, 97, 79; none 104, 101, 98. k blocks of 192 / 384 / 576 / 768 at 1024/2816, T = 12: 90, 91, 92, 92; T =
    // 64: 90, 91, 92, 92; 576 / 1152 (later): T = 16, 64, 128: 92.5, 93.7, 94.2 and 92.4, 94.9, 95.2.
    if (caches == CacheClass::small_l1) return {1152, 0, {}};
    return streams_into_l1<Config>(192, 96, 64);
  }
};

}  // namespace

constexpr KernelSet kKernelSet_avx2 = make_kernel_set<Config>(Isa::avx2);

}  // namespace swiglu::kernels
