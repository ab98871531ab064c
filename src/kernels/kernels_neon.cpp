#include "kernels/kernel_set_impl.hpp"

namespace swiglu::kernels {
namespace {

// 3 rows × 8 vectors = 24 accumulators + 3 broadcasts + panel vectors = 32 q registers.
struct Config {
  using Arch = xsimd::neon64;
  static constexpr int kTileRows = 3;
  static constexpr int kTallRows = 0;
  static constexpr int panels_at_once(int mr) { return mr == 1 ? 2 : 1; }
  static constexpr Tuning tuning(CacheClass) { return streams_into_l1<Config>(192, 96, 64); }
};

}  // namespace

constexpr KernelSet kKernelSet_neon = make_kernel_set<Config>(Isa::neon);

}  // namespace swiglu::kernels
