#pragma once

// How the rows of a call are cut, and whether workers share a piece or take one each.

#include <cstddef>

#include "driver/plan.hpp"
#include "driver/row_tiles.hpp"

namespace swiglu {

/// Either row blocks, one after the other, of which all workers do some panels: each streams its share of the weights.
/// Or, `apart`, smaller pieces that workers take and do alone, from x to y: each streams all weights, but nothing that
/// one has written is read by another, and nobody waits before the end. Where the workers' cores have no cache in
/// common, that counts: 576/1536 on two Zen 4 cores with an L3 each, T = 1024: 89 → 94 % of the roofline; 1024/2816:
/// +3 %, 2048/5632 and 4096/11008: +1 %. On one L3 nothing is gained or lost.
struct RowPlan {
  EqualPieces pieces;
  bool apart;
};

/// Apart, if there are rows enough: w workers that each stream all weights under r rows need w / r times the bandwidth
/// that one needs for one row, so r ≥ w · Tuning::rows_apart. Zen 4, w = 2: 24 rows each (half of what two cores can
/// read) gained 1–3 %, 16 rows lost 1–2 %.
RowPlan plan_rows(const PackedBlock& block, std::size_t T, std::size_t workers);

/// Rows of x and hidden that are in the workspace at a time.
std::size_t rows_at_once(const PackedBlock& block, std::size_t T, std::size_t workers);

}  // namespace swiglu
