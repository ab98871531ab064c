#include "kernels/kernel_set_impl.hpp"

namespace swiglu::kernels {
namespace {

// 14 rows × 2 vectors = 28 accumulators + 2 panel vectors + broadcasts = 32 zmm.
struct Config {
  using Arch = xsimd::avx512bw;
  static constexpr int kTileRows = 14;
  // Zen 5, one core, cold 2048/5632, one panel at a time → so many (% of the roofline): T = 1: 90 → 99, 2: 90 → 95,
  // 3: 96 → 99, 4: 92 → 94, 5: 89 → 91, 6: 89 → 90, 7: no gain. Seven rows × 2 panels spill.
  static constexpr int panels_at_once(int mr) { return mr == 1 || mr == 3 ? 4 : mr <= 6 ? 2 : 1; }
  // Zen 5, one core, cold, % of the roofline for 192 / 288 / 384 / 512 / 576 / 704: 2048/5376 T = 16: 90, 91, 91, 93,
  // 93, 92; T = 24: 92, 93, 93, 94, –, 94; 576/1792 T = 16: 89, 90, 90, 90, 92, 91; T = 128: 94, –, –, 94, 95, 95.
  // Shorter blocks store more partial sums.
  static constexpr std::size_t kKBlock = 576;
  // Rows ahead, T = 8, one stream: 32 → 82, 48 → 88, 96 → 90, 192 → 90 %. Several streams share
  // theirs: 4096/11008, 16 / 32 / 48 / 64 / 96 / 128 rows, best of two runs: T = 1: 98, 99, 98, 97, 91, 89; T = 2: 94,
  // 96, 97, 97, 93, 92; T = 3: 89, 93, 96, 90, –, –; T = 4: 86, 93, 94, 93, –, –.
  static constexpr std::size_t kPrefetchRows = 96;
  static constexpr std::size_t kStreamsPrefetchRows = 48;
};

}  // namespace

constexpr KernelSet kKernelSet_avx512 = make_kernel_set<Config>(Isa::avx512);

}  // namespace swiglu::kernels
