// Memory: what is held, and what a call needs.

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

#include "formulas.hpp"
#include "round_up.hpp"
#include "source_weights.hpp"
#include "swiglu/hidden_width.h"
#include "targets/turns.hpp"

namespace swiglu::bench {
namespace {

constexpr std::size_t kPanel = 32;  // columns of a panel, gate and up 16 each

/// Resident bytes of this process.
double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void measure_memory(TargetRun& run) {
  const std::size_t threads = run.most_threads();
  double worst_packed = 0, worst_workspace = 0;
  std::string packed_where, workspace_where;
  const std::size_t rows[] = {1, 2, 3, 12, 13, 64, 127, 128, 129, 1024, 1000003, SIZE_MAX};
  for (const auto& [d, h] : {std::pair<std::size_t, std::size_t>{576, 1536}, {577, 1537}, {33, 17}, {2048, 5461}}) {
    const Shape shape = fixed_shape(d, h, "", "targets");
    const SourceWeights source(d, h, 1);
    const FeedForward block = native_block(run, shape, threads, source.view());
    // Biases count as weights: each panel begins with its own, zeros if there are none.
    const double weights = 4.0 * static_cast<double>(parameter_count(d, h, true, true));
    const double panels = 4.0 * kPanel * static_cast<double>((d + 1) + (h + 1));  // gate | up together, and down
    const double packed = static_cast<double>(block.packed_bytes()) / (weights + panels);
    if (packed > worst_packed) {
      worst_packed = packed;
      packed_where = formatted("%zu/%zu: %zu bytes for weights of %.0f", d, h, block.packed_bytes(), weights);
    }
    for (const std::size_t T : rows) {
      // README.md, "The API in short"
      const std::size_t most = std::min<std::size_t>(T, 128);
      const std::size_t formula =
          most * (round_up(d, 16) + round_up(h, 16)) * 4 + threads * std::max<std::size_t>(most, 12) * 128 + 64;
      const double workspace = static_cast<double>(block.workspace_bytes(T)) / static_cast<double>(formula);
      if (workspace > worst_workspace) {
        worst_workspace = workspace;
        workspace_where =
            formatted("%zu/%zu, T = %zu; for any T at most %zu bytes", d, h, T, block.workspace_bytes(SIZE_MAX));
      }
    }
  }
  run.at_most("memory: packed bytes over weights + one panel per matrix" + run.suffix(threads), worst_packed, "x", 1,
              packed_where);
  run.at_most("memory: workspace over its formula, whatever T" + run.suffix(threads), worst_workspace, "x", 1,
              workspace_where);

  const Shape shape = fixed_shape(2048, 5632, "", "targets");
  const SourceWeights source(shape.d, shape.h, 1);
  const double before = resident_bytes();
  const FeedForward block = native_block(run, shape, threads, source.view());
  const double grown = resident_bytes() - before;
  // Resident memory counts whole pages: the last huge page is 1.5 % of these weights.
  run.at_most("memory: resident growth over the weights" + run.suffix(threads), grown / weight_bytes(shape.d, shape.h),
              "x", 1.03,
              formatted("%zu/%zu: %.1f MB, weights %.1f MB: no second copy is kept", shape.d, shape.h, grown * 1e-6,
                        weight_bytes(shape.d, shape.h) * 1e-6));
}

}  // namespace swiglu::bench
