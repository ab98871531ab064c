#include "driver/driver.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "driver/panel_sweep.hpp"
#include "packing/pack_rows.hpp"

namespace swiglu {
namespace {

using kernels::kBlock;
using kernels::kPanelColumns;

// One parallel phase. Workers take panels in shrinking chunks (a share of what is left), never one static slice each:
// when a neighbour takes half a core, the others take over its panels.
struct Phase {
  const PanelProduct* product;
  std::size_t panels;
  std::size_t workers;
  float* partial;
  std::size_t partial_stride;
  std::atomic<std::size_t> next{0};

  bool take(std::size_t* first, std::size_t* last) {
    std::size_t begin = next.load(std::memory_order_relaxed);
    do {
      if (begin >= panels) return false;
      *last = begin + std::max(kMinChunk, (panels - begin) / (2 * workers));
      *last = std::min(*last, panels);
    } while (!next.compare_exchange_weak(begin, *last, std::memory_order_relaxed));
    *first = begin;
    return true;
  }

  static void work(void* context, std::size_t worker) {
    Phase& phase = *static_cast<Phase*>(context);
    std::size_t first, last;
    while (phase.take(&first, &last)) {
      sweep_panels(*phase.product, first, last, phase.partial + worker * phase.partial_stride);
    }
  }

  // As many as the widest multi-panel kernel takes at once, so that small chunks still use it.
  static constexpr std::size_t kMinChunk = 4;
};

// Below this many multiply-adds a second worker costs more to wake (1–3 µs) than it saves.
constexpr std::size_t kMinWorkPerWorker = 64 * 1024;

void run_phase(const PanelProduct& product, std::size_t panels, float* partial, std::size_t partial_stride,
               std::size_t rows, Executor* executor, std::size_t workers) {
  const std::size_t work = panels * kPanelColumns * product.k * rows;
  workers = std::max<std::size_t>(1, std::min({workers, work / kMinWorkPerWorker, panels}));
  if (workers == 1) {
    sweep_panels(product, 0, panels, partial);
    return;
  }
  Phase phase{&product, panels, workers, partial, partial_stride, {}};
  executor->parallel_for(workers, &Phase::work, &phase);
}

float* align64(void* p) { return reinterpret_cast<float*>((reinterpret_cast<std::uintptr_t>(p) + 63) / 64 * 64); }

void run_rows(const PackedBlock& block, const ForwardCall& call, std::size_t row, std::size_t rows, Executor* executor,
              std::size_t workers) {
  const WorkspaceLayout ws = workspace_layout(block, rows, workers);
  float* base = align64(call.workspace);
  const float* x = call.x + row * call.x_stride;

  PanelProduct gate_up;
  gate_up.set = block.set;
  gate_up.table = &block.set->gate_up;
  gate_up.panels = block.gate_up;
  gate_up.panel_stride = block.layout.gate_up_stride;
  gate_up.k = block.d_model;
  gate_up.x_width = (block.d_model + kBlock - 1) / kBlock * kBlock;
  gate_up.tiles = EqualPieces(rows, block.set->tile_rows);
  gate_up.out = base + ws.hidden;
  gate_up.out_row_stride = (block.d_ff + kBlock - 1) / kBlock * kBlock;
  gate_up.out_tiled = true;
  gate_up.columns = block.layout.gate_up_panels * kPanelColumns;
  if (rows == 1) {
    gate_up.x = x;  // a tile of one row is the row itself
  } else {
    for (std::size_t t = 0; t < gate_up.tiles.count(); ++t) {
      pack_row_tile(x + gate_up.tiles.begin(t) * call.x_stride, call.x_stride, gate_up.tiles.size(t), block.d_model,
                    base + ws.x + gate_up.tiles.begin(t) * gate_up.x_width);
    }
    gate_up.x = base + ws.x;
  }
  run_phase(gate_up, block.layout.gate_up_panels, base + ws.partial, ws.partial_stride, rows, executor, workers);

  PanelProduct down = gate_up;
  down.table = &block.set->down;
  down.panels = block.down;
  down.panel_stride = block.layout.down_stride;
  down.k = block.d_ff;
  down.x = gate_up.out;
  down.x_width = gate_up.out_row_stride;
  down.out = call.y + row * call.y_stride;
  down.out_row_stride = call.y_stride;
  down.out_tiled = false;
  down.columns = block.d_model;
  down.accumulate = call.accumulate;
  run_phase(down, block.layout.down_panels, base + ws.partial, ws.partial_stride, rows, executor, workers);
}

}  // namespace

void run_block(const PackedBlock& block, const ForwardCall& call, Executor* executor, std::size_t workers) {
  const EqualPieces blocks(call.T, kMaxBlockRows);
  for (std::size_t b = 0; b < blocks.count(); ++b) {
    run_rows(block, call, blocks.begin(b), blocks.size(b), executor, workers);
  }
}

}  // namespace swiglu
