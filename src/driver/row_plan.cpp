#include "driver/row_plan.hpp"

#include <algorithm>

#include "driver/phase.hpp"

namespace swiglu {

RowPlan plan_rows(const PackedBlock& block, std::size_t T, std::size_t workers) {
  const RowPlan panel_parallel{EqualPieces(T, kMaxBlockRows), false};
  if (workers < 2) return panel_parallel;
  // A third more rows than the fewest, if there are: longer pieces gain nothing (32 or 64 rows: within 0.5 %).
  const std::size_t fewest = workers * block.tuning->row_parallel_rows, enough = fewest + fewest / 3;
  const std::size_t most = kMaxBlockRows / workers;
  if (most < enough) return panel_parallel;
  const std::size_t per_worker =
      std::max({kPiecesPerWorker, (T + workers * most - 1) / (workers * most), T / (workers * enough)});
  if (T / (per_worker * workers) < fewest) return panel_parallel;
  const std::size_t rows = std::min(T, kPiecesPerWorker * kMaxBlockRows);  // enough to tell, and no overflow
  if (useful_workers(3 * rows * block.d_model * block.d_ff, workers) < workers) return panel_parallel;
  return {EqualPieces::of_count(T, per_worker * workers), true};
}

}  // namespace swiglu
