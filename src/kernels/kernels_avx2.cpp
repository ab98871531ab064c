#include "kernels/kernel_set_impl.hpp"

namespace swiglu::kernels {
namespace {

// 3 rows × 4 vectors = 12 accumulators + 3 broadcasts + 1 panel vector = 16 ymm.
struct Config {
  using Arch = xsimd::fma3<xsimd::avx2>;
  static constexpr int kTileRows = 3;
  static constexpr int panels_at_once(int mr) { return mr == 1 ? 2 : 1; }
  static constexpr std::size_t kKBlock = 192;
  static constexpr std::size_t kPrefetchRows = 96;
  static constexpr std::size_t kStreamsPrefetchRows = 64;
};

}  // namespace

constexpr KernelSet kKernelSet_avx2 = make_kernel_set<Config>(Isa::avx2);

}  // namespace swiglu::kernels
