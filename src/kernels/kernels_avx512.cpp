#include "kernels/kernel_set_impl.hpp"

namespace swiglu::kernels {
namespace {

// 14 rows × 2 vectors = 28 accumulators + 2 panel vectors + broadcasts = 32 zmm.
struct Config {
  using Arch = xsimd::avx512bw;
  static constexpr int kTileRows = 14;
  static constexpr int kTallRows = 0;
  // Zen 5, one core, cold 2048/5632, one panel at a time → so many (% of the roofline): T = 1: 90 → 99, 2: 90 → 95,
  // 3: 96 → 99, 4: 92 → 94, 5: 89 → 91, 6: 89 → 90, 7: no gain. Seven rows × 2 panels spill.
  static constexpr int panels_at_once(int mr) { return mr == 1 || mr == 3 ? 4 : mr <= 6 ? 2 : 1; }
  // Zen 5, one core, cold, % of the roofline for 192 / 288 / 384 / 512 / 576 / 704: 2048/5376 T = 16: 90, 91, 91, 93,
  // 93, 92; T = 24: 92, 93, 93, 94, –, 94; 576/1792 T = 16: 89, 90, 90, 90, 92, 91; T = 128: 94, –, –, 94, 95, 95.
  // Shorter blocks store more partial sums.
  static constexpr std::size_t kKBlock = 576;
  // Zen 5, rows ahead, T = 8, one stream: 32 → 82, 48 → 88, 96 → 90, 192 → 90 %. Several streams share
  // theirs: 4096/11008, 16 / 32 / 48 / 64 / 96 / 128 rows, best of two runs: T = 1: 98, 99, 98, 97, 91, 89; T = 2: 94,
  // 96, 97, 97, 93, 92; T = 3: 89, 93, 96, 90, –, –; T = 4: 86, 93, 94, 93, –, –.
  static constexpr std::uint16_t kAhead = 96, kSharedAhead = 48;

  // Zen 4 (32 KiB of L1, half the arithmetic per cycle), one core, cold, % of the roofline at T = 1, 2, 3, 4, 5 | 6, 8,
  // 12 for 576/1536:
  //   as on Zen 5                        91,  92,  86,  80,  80 | 83, 79, 90
  //   one panel, 32 rows ahead into L1   99,  98,  98,  91,  87 | 84, 85, 92
  //   one panel, nothing                105, 103, 104,  98,  92 | 89, 87, 78
  //   into L2, 16 rows ahead into L1     90,  78,  82,  74,  79 | 98, 95, 97      (24 or 32 rows: +1 at T = 8)
  // Few rows wait for memory, and its own prefetcher does best alone; with more there is arithmetic to hide under, and
  // lines that come too early push others out of L1 (96 rows ahead → 192: T = 8 loses 11 points). Where arithmetic is
  // faster than memory, ours get lost: T = 6, nothing against into L2: 2048/5632 +9..18 % in four runs, 4096/11008 +13,
  // 1024/2816 0..15, 576/1536 -4..15 (the lower, the faster the memory of the hour); T = 7: -11..+1.
  static constexpr int kLeftToHardware = 6;  // rows
  static constexpr std::uint16_t kIntoL2 = 192, kIntoL1 = 24;
  // Zen 4, several row tiles, 2048/5632, k blocks of 576 without the prefetch into L1 / 576 with / 1152 with: T = 16 on
  // one core 94.7, 95.2, 96.5, on two 90.6, 91.1, 92.8; T = 24: 95.8, 96.5, 96.8 and 91.9, 92.3, 94.0; T = 128: 97.4,
  // 97.2, 97.7. 576/1536, T = 20: 93.2, 97.1, 96.6. Blocks of 96 … 288 lose 1–5 points.
  static constexpr std::size_t kSmallL1KBlock = 1152;
  // … and how far ahead into L1, two cores, time at 24 rows over that at 0 / 48 / 72 / 96 / 192: T = 16: 2048/5632
  // 0.99, 1.01, 1.01, 1.01, 1.00; 1024/2816 1.00, 1.01, 1.01, 1.02, –; T = 20: –, 1.01, 1.01, 1.01, 1.00; T = 32, 128:
  // no difference up to 72. On one core none at all.
  static constexpr std::uint16_t kSharedIntoL1 = 48;

  static constexpr Tuning tuning(CacheClass caches) {
    if (caches == CacheClass::small_l1) {
      Tuning t{kSmallL1KBlock, kSharedIntoL1, {}};
      for (int mr = kLeftToHardware + 1; mr <= kTileRows; ++mr) t.streaming[mr] = {1, kIntoL2, kIntoL2, kIntoL1};
      return t;
    }
    Tuning t = streams_into_l1<Config>(kKBlock, kAhead, kSharedAhead);
    t.row_parallel_rows = 24;  // twice the arithmetic per cycle of Zen 4, not measured
    return t;
  }
};

}  // namespace

constexpr KernelSet kKernelSet_avx512 = make_kernel_set<Config>(Isa::avx512);

}  // namespace swiglu::kernels
