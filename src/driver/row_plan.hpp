#pragma once

// How the rows of a call are cut, and whether workers share a piece or take one each.

#include <cstddef>

#include "driver/plan.hpp"
#include "driver/row_tiles.hpp"

namespace swiglu {

/// Panel-parallel: row blocks, one after the other, of which all workers do some panels; each streams its share of the
/// weights. Or row-parallel: smaller pieces that workers take and do alone, from x to y. Each then streams all weights,
/// once for every piece, but nothing that one has written is read by another, and nobody waits between the products.
/// Where the workers' cores have no cache in common, that counts: 576/1536 on two Zen 4 cores with an L3 each,
/// T = 1024: 89 → 94 % of the roofline; 1024/2816: +3 %, 2048/5632 and 4096/11008: +1 %. On one L3 nothing is gained or
/// lost. Measured with avx512 on that CPU only.
struct RowPlan {
  EqualPieces pieces;
  bool row_parallel;
};

/// Row-parallel, if there are rows enough: w workers that each stream all weights under r rows need w / r times the
/// bandwidth that one needs for one row, so r ≥ w · Tuning::row_parallel_rows. Zen 4, w = 2: 24 rows each (half of what
/// two cores can read) gained 1–3 %, 16 rows lost 1–2 %. With the bound on rows at once, that leaves two workers.
/// A row-parallel plan has a multiple of `workers` pieces, and workers · pieces.size(0) ≤ kMaxBlockRows.
RowPlan plan_rows(const PackedBlock& block, std::size_t T, std::size_t workers);

/// Pieces for each worker that a row-parallel plan has at least. With 2, one of two workers that a busy neighbour
/// leaves half a core may begin the last piece when the other has nothing left: 3/2 of the time that fine chunks would
/// take, which is that of one worker alone (2048/5632, T = 128: 73 ms of 78). With 4 it is 9/8.
inline constexpr std::size_t kPiecesPerWorker = 4;

}  // namespace swiglu
