#include "driver/row_block.hpp"

#include "driver/phase.hpp"
#include "packing/pack_rows.hpp"
#include "round_up.hpp"

namespace swiglu {
namespace {

using kernels::kBlock;
using kernels::kPanelColumns;

// x → row tiles, one task per tile.
struct PackRows {
  const float* x;
  std::size_t stride;
  std::size_t width;
  const RowTiles& tiles;
  float* packed;
  std::size_t packed_width;

  static void work(void* context, std::size_t t) {
    const PackRows& p = *static_cast<const PackRows*>(context);
    const std::size_t row = p.tiles.begin(t);
    pack_row_tile(p.x + row * p.stride, p.stride, p.tiles.size(t), p.width, p.packed + row * p.packed_width);
  }
};

// From this many floats on, packing x is spread over the workers too: 128 rows of 4096 are 0.3 ms of one core.
constexpr std::size_t kMinParallelPack = 64 * 1024;

}  // namespace

void run_row_block(const PackedBlock& block, const ForwardCall& call, std::size_t row, std::size_t rows,
                   const Scratch& scratch, Executor* executor, std::size_t workers) {
  const float* x = call.x + row * call.x_stride;

  PanelProduct gate_up;
  gate_up.tuning = block.tuning;
  gate_up.table = &block.set->gate_up;
  gate_up.glu = &block.glu;
  gate_up.panels = block.gate_up;
  gate_up.panel_stride = block.layout.gate_up_stride;
  gate_up.k = block.d_model;
  gate_up.x_width = round_up(block.d_model, kBlock);
  gate_up.tiles = RowTiles(rows, block.set->tile_rows, block.set->tall_rows);
  gate_up.out = scratch.hidden;
  gate_up.out_row_stride = round_up(block.d_ff, kBlock);
  gate_up.out_tiled = true;
  gate_up.columns = block.layout.gate_up_panels * kPanelColumns;
  if (rows == 1) {
    gate_up.x = x;  // a tile of one row is the row itself
  } else {
    PackRows pack{x, call.x_stride, block.d_model, gate_up.tiles, scratch.x, gate_up.x_width};
    if (workers > 1 && rows * block.d_model >= kMinParallelPack) {
      executor->parallel_for(gate_up.tiles.count(), &PackRows::work, &pack);
    } else {
      for (std::size_t t = 0; t < gate_up.tiles.count(); ++t) PackRows::work(&pack, t);
    }
    gate_up.x = scratch.x;
  }
  run_phase(gate_up, block.layout.gate_up_panels, scratch.partial, scratch.partial_stride, rows, executor, workers);

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
  run_phase(down, block.layout.down_panels, scratch.partial, scratch.partial_stride, rows, executor, workers);
}

}  // namespace swiglu
