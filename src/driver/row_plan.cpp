#include "driver/row_plan.hpp"

#include <algorithm>

#include "driver/phase.hpp"
#include "round_up.hpp"

namespace swiglu {
namespace {

// Pieces for each worker, at least. With 2 for each of two, a worker that a busy neighbour leaves half a core may begin
// the last one when the other has nothing left: 4/3 of the time that single panels would take, which is that of one
// worker alone (2048/5632, T = 128: 73 ms of 78). With 4 it is 9/8.
constexpr std::size_t kFewestTurns = 4;

std::size_t fewest_rows(const PackedBlock& block, std::size_t workers) { return workers * block.tuning->rows_apart; }

bool may_part(const PackedBlock& block, std::size_t workers) {
  return workers > 1 && kMaxBlockRows / workers >= fewest_rows(block, workers);
}

}  // namespace

RowPlan plan_rows(const PackedBlock& block, std::size_t T, std::size_t workers) {
  const EqualPieces blocks(T, kMaxBlockRows);
  if (!may_part(block, workers)) return {blocks, false};
  // A third more rows than the fewest, if there are: longer pieces gain nothing (32 or 64 rows: within 0.5 %).
  const std::size_t fewest = fewest_rows(block, workers), enough = fewest + fewest / 3;
  const std::size_t turns = std::max({kFewestTurns, blocks.count(), T / (workers * enough)});
  const std::size_t rows = T / (turns * workers);
  if (rows < fewest) return {blocks, false};
  if (useful_workers(3 * workers * rows * block.d_model * block.d_ff, workers) < workers) return {blocks, false};
  return {EqualPieces::of_count(T, turns * workers), true};
}

std::size_t rows_at_once(const PackedBlock& block, std::size_t T, std::size_t workers) {
  if (T <= kMaxBlockRows) return T;
  return may_part(block, workers) ? round_up(kMaxBlockRows, workers) : kMaxBlockRows;
}

}  // namespace swiglu
