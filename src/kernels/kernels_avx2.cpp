#include "kernels/kernel_set_impl.hpp"

namespace swiglu::kernels {
namespace {

// 3 rows × 4 vectors = 12 accumulators + 3 broadcasts + 1 panel vector = 16 ymm.
struct Config {
  using Arch = xsimd::fma3<xsimd::avx2>;
  static constexpr int kTileRows = 3;
  static constexpr int panels_at_once(int mr) { return mr == 1 ? 2 : 1; }
  static constexpr Tuning tuning(CacheClass) {
    Tuning t{192, {}};
    for (int mr = 1; mr <= kTileRows; ++mr) t.streaming[mr] = stream_ahead(panels_at_once(mr), 96, 64);
    return t;
  }
};

}  // namespace

constexpr KernelSet kKernelSet_avx2 = make_kernel_set<Config>(Isa::avx2);

}  // namespace swiglu::kernels
