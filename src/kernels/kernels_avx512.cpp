#include "kernels/kernel_set_impl.hpp"

namespace swiglu::kernels {
namespace {

// 14 rows × 2 vectors = 28 accumulators + 2 panel vectors + broadcasts = 32 zmm.
struct Config {
  using Arch = xsimd::avx512bw;
  static constexpr int kTileRows = 14;
  static constexpr int panels_at_once(int mr) { return mr == 1 ? 4 : mr <= 4 ? 2 : 1; }
  // Zen 5, T = 16: 192 → 89, 704 → 92 to 94 % of the roofline: fewer partial sums stored, the panel block (88 KiB) from L2.
  static constexpr std::size_t kKBlock = 704;
  static constexpr std::size_t kPrefetchRows = 96;
};

}  // namespace

constexpr KernelSet kKernelSet_avx512 = make_kernel_set<Config>(Isa::avx512);

}  // namespace swiglu::kernels
