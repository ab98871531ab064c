#include "driver/driver.hpp"

#include <atomic>
#include <cstdint>

#include "driver/row_block.hpp"
#include "driver/row_plan.hpp"
#include "round_up.hpp"

namespace swiglu {
namespace {

float* align64(void* p) { return reinterpret_cast<float*>((reinterpret_cast<std::uintptr_t>(p) + 63) / 64 * 64); }

// Pieces of rows that workers take, and do alone.
struct RowParallel {
  const PackedBlock* block;
  const ForwardCall* call;
  const EqualPieces* pieces;
  Scratch scratch;  // worker 0's
  std::size_t end;  // of this round
  std::atomic<std::size_t> next;

  Scratch scratch_of(std::size_t worker) const {
    const std::size_t row = worker * pieces->size(0);
    return {scratch.x + row * round_up(block->d_model, kernels::kBlock),
            scratch.hidden + row * round_up(block->d_ff, kernels::kBlock),
            scratch.partial + worker * scratch.partial_stride, scratch.partial_stride};
  }

  static void work(void* context, std::size_t worker) {
    RowParallel& r = *static_cast<RowParallel*>(context);
    const Scratch mine = r.scratch_of(worker);
    std::size_t i;
    while ((i = r.next.fetch_add(1, std::memory_order_relaxed)) < r.end) {
      run_row_block(*r.block, *r.call, r.pieces->begin(i), r.pieces->size(i), mine, nullptr, 1);
    }
  }
};

// In rounds: an executor that has no workers to spare at the moment (another caller has them, one of them kept the call
// before waiting) is asked again a few milliseconds later, and others may have it between two rounds.
void run_row_parallel(const PackedBlock& block, const ForwardCall& call, const EqualPieces& pieces,
                      const Scratch& scratch, Executor* executor, std::size_t workers) {
  const std::size_t per_worker = pieces.count() / workers;
  const EqualPieces rounds = EqualPieces::of_count(per_worker, per_worker / kPiecesPerWorker);
  for (std::size_t r = 0; r < rounds.count(); ++r) {
    const std::size_t first = rounds.begin(r) * workers;
    RowParallel round{&block, &call, &pieces, scratch, first + rounds.size(r) * workers, {first}};
    executor->parallel_for(workers, &RowParallel::work, &round);
  }
}

}  // namespace

void run_block(const PackedBlock& block, const ForwardCall& call, Executor* executor, std::size_t workers) {
  const WorkspaceLayout ws = workspace_layout(block, call.T, workers);
  float* base = align64(call.workspace);
  const Scratch scratch{base + ws.x, base + ws.hidden, base + ws.partial, ws.partial_stride};
  const RowPlan plan = plan_rows(block, call.T, workers);
  if (plan.row_parallel) return run_row_parallel(block, call, plan.pieces, scratch, executor, workers);
  for (std::size_t b = 0; b < plan.pieces.count(); ++b) {
    run_row_block(block, call, plan.pieces.begin(b), plan.pieces.size(b), scratch, executor, workers);
  }
}

}  // namespace swiglu
