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
struct PiecesApart {
  const PackedBlock* block;
  const ForwardCall* call;
  const EqualPieces* pieces;
  Scratch scratch;  // worker 0's
  std::atomic<std::size_t> next{0};

  Scratch scratch_of(std::size_t worker) const {
    const std::size_t row = worker * pieces->size(0);
    return {scratch.x + row * round_up(block->d_model, kernels::kBlock),
            scratch.hidden + row * round_up(block->d_ff, kernels::kBlock),
            scratch.partial + worker * scratch.partial_stride, scratch.partial_stride};
  }

  static void work(void* context, std::size_t worker) {
    PiecesApart& p = *static_cast<PiecesApart*>(context);
    const Scratch mine = p.scratch_of(worker);
    std::size_t i;
    while ((i = p.next.fetch_add(1, std::memory_order_relaxed)) < p.pieces->count()) {
      run_row_block(*p.block, *p.call, p.pieces->begin(i), p.pieces->size(i), mine, nullptr, 1);
    }
  }
};

}  // namespace

void run_block(const PackedBlock& block, const ForwardCall& call, Executor* executor, std::size_t workers) {
  const WorkspaceLayout ws = workspace_layout(block, call.T, workers);
  float* base = align64(call.workspace);
  const Scratch scratch{base + ws.x, base + ws.hidden, base + ws.partial, ws.partial_stride};
  const RowPlan plan = plan_rows(block, call.T, workers);
  if (plan.apart) {
    PiecesApart pieces{&block, &call, &plan.pieces, scratch, {}};
    executor->parallel_for(workers, &PiecesApart::work, &pieces);
    return;
  }
  for (std::size_t b = 0; b < plan.pieces.count(); ++b) {
    run_row_block(block, call, plan.pieces.begin(b), plan.pieces.size(b), scratch, executor, workers);
  }
}

}  // namespace swiglu
