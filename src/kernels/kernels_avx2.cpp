#include "kernels/kernel_set_impl.hpp"

namespace swiglu::kernels {
namespace {

// 3 rows × 4 vectors = 12 accumulators + 3 broadcasts + 1 panel vector = 16 ymm.
struct Config {
  using Arch = xsimd::fma3<xsimd::avx2>;
  static constexpr int kTileRows = 3;
  // 5 rows × 2 vectors, instead of tiles of two rows, which give 75 % of the peak on Zen 4: GCC reads each of their
  // panel vectors twice, as an operand of both multiply-adds. Made to read it once (asm), they give 90 %: 8 chains of
  // latency 4 for two units, none of which may be late. 10 chains: 95, 12: 97. % of the roofline, 1024/2816, one core,
  // cold, 3s and 2s / with one read / 5s and 3s: T = 8: 84.5, 85.5, 89.5; T = 10: 81, 88, 90; T = 16: 86, 90.5, 93; T =
  // 4 (2 + 2): 94, 61, – (faster than memory, it loses prefetches). Six rows in two passes give no more than three in
  // one.
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
