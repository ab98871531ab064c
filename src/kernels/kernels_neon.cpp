#include "kernels/kernel_set_impl.hpp"

namespace swiglu::kernels {
namespace {

// 3 rows × 8 vectors = 24 accumulators + 3 broadcasts + panel vectors = 32 q registers.
struct Config {
  using Arch = xsimd::neon64;
  static constexpr int kTileRows = 3;
  static constexpr int panels_at_once(int mr) { return mr == 1 ? 2 : 1; }
  static constexpr Tuning tuning(CacheClass) {
    Tuning t{192, 0, {}};
    for (int mr = 1; mr <= kTileRows; ++mr) t.streaming[mr] = stream_ahead(panels_at_once(mr), 96, 64);
    return t;
  }
};

}  // namespace

constexpr KernelSet kKernelSet_neon = make_kernel_set<Config>(Isa::neon);

}  // namespace swiglu::kernels
