#include "driver/panel_sweep.hpp"

#include <algorithm>

#include "default_floating_point.hpp"

namespace swiglu {
namespace {

using kernels::kBlock;
using kernels::kPanelColumns;
using kernels::TileArgs;

const float* tile_start(const PanelProduct& g, std::size_t tile, std::size_t k0) {
  return g.x + g.tiles.begin(tile) * g.x_width + k0 * g.tiles.size(tile);
}

const float* panel_start(const PanelProduct& g, std::size_t panel) { return g.panels + panel * g.panel_stride; }

TileArgs tile_args(const PanelProduct& g, std::size_t tile, std::size_t panel, std::size_t k0, std::size_t k,
                   float* partial) {
  const std::size_t rows = g.tiles.size(tile);
  const std::size_t row = g.tiles.begin(tile);
  const float* start = panel_start(g, panel);
  TileArgs a;
  a.x = tile_start(g, tile, k0);
  a.bias = start;
  a.panel = start + (1 + k0) * kPanelColumns;
  a.panel_stride = g.panel_stride;
  a.k = k;
  a.first = k0 == 0;
  a.last = k0 + k == g.k;
  a.partial = partial;
  a.glu = g.glu;
  a.out = g.out + row * g.out_row_stride + panel * (g.out_tiled ? rows * kBlock : kPanelColumns);
  a.out_stride = g.out_row_stride;
  a.columns = g.columns - std::min(g.columns, panel * kPanelColumns);
  a.accumulate = g.accumulate;
  return a;
}

// One row tile: the weights are streamed and the stream must never stop, so the prefetch runs a fixed distance ahead,
// across the end of a panel into the one that is worked on next. That one usually follows in memory; it does not at the
// end of a chunk (`after`), nor where several panels are taken at once (few rows): each of them is a stream of its own.
void stream(const PanelProduct& g, std::size_t first, std::size_t last, std::size_t after, float* partial) {
  const std::size_t rows = g.tiles.size(0);
  const kernels::Streaming& how = g.tuning->streaming[rows];
  const std::size_t at_once = how.panels;
  for (std::size_t p = first; p < last;) {
    const std::size_t panels = last - p >= at_once ? at_once : 1;
    const std::size_t next = p + panels < last ? p + panels : after;
    const std::size_t ahead = panels == how.panels ? how.ahead / panels : how.ahead_alone;
    const kernels::TileFn fn = panels > 1 ? g.table->many[rows] : g.table->one[rows];
    const auto run = [&](std::size_t k0, std::size_t k, const float* prefetch) {
      TileArgs a = tile_args(g, 0, p, k0, k, partial);
      a.columns = std::min(a.columns, panels * kPanelColumns);
      a.prefetch = prefetch;
      a.prefetch_step = kPanelColumns;
      a.prefetch_near = how.near * kPanelColumns;
      fn(a);
    };
    const float* ahead_here = panel_start(g, p) + (1 + ahead) * kPanelColumns;
    // Rows of k before the jump to the next panel; a whole number of blocks because tiles are cut only there.
    const std::size_t body = g.k > ahead ? (g.k - ahead) / kBlock * kBlock : 0;
    if (ahead == 0) {
      run(0, g.k, nullptr);
    } else if (next == p + 1) {
      run(0, g.k, ahead_here);
    } else if (body == 0) {
      run(0, g.k, panel_start(g, next));
    } else {
      run(0, body, ahead_here);
      run(body, g.k - body, panel_start(g, next));
    }
    p += panels;
  }
}

// Several row tiles: a block of k stays in the near caches while every tile uses it, and each tile fetches its share of
// the block that comes next, so that the stream from memory goes on under the arithmetic.
void reuse(const PanelProduct& g, std::size_t first, std::size_t last, std::size_t after, float* partial) {
  const std::size_t units = (g.k + kBlock - 1) / kBlock;
  const EqualPieces blocks(units, g.tuning->k_block / kBlock);  // even blocks: a short last one starves the prefetch
  const std::size_t tiles = g.tiles.count(), passes = g.tiles.passes_before(tiles);
  for (std::size_t p = first; p < last; ++p) {
    for (std::size_t b = 0; b < blocks.count(); ++b) {
      const std::size_t k0 = blocks.begin(b) * kBlock;
      const std::size_t k = std::min(g.k - k0, blocks.size(b) * kBlock);
      const bool panel_done = k0 + k == g.k;
      const float* next =
          !panel_done ? panel_start(g, p) + (1 + k0 + k) * kPanelColumns : panel_start(g, p + 1 < last ? p + 1 : after);
      for (std::size_t t = 0; t < tiles; ++t) {
        TileArgs a = tile_args(g, t, p, k0, k, partial + g.tiles.begin(t) * kPanelColumns);
        a.columns = std::min(a.columns, kPanelColumns);
        a.prefetch = next + kPanelColumns * k * g.tiles.passes_before(t) / passes;
        // Rounded up: 32 / 9 rounded down would leave one line in six to be missed.
        a.prefetch_step = (kPanelColumns + passes - 1) / passes;
        a.prefetch_near = g.tuning->near * kPanelColumns;
        const bool last_tile = t + 1 == tiles;
        const std::size_t next_k0 = !last_tile ? k0 : panel_done ? 0 : k0 + k;
        a.next_x = tile_start(g, last_tile ? 0 : t + 1, next_k0);
        g.table->one[g.tiles.size(t)](a);
      }
    }
  }
}

}  // namespace

void sweep_panels(const PanelProduct& product, std::size_t first, std::size_t last, std::size_t after, float* partial) {
  const DefaultFloatingPoint mode;
  if (product.tiles.count() == 1) {
    stream(product, first, last, after, partial);
  } else {
    reuse(product, first, last, after, partial);
  }
}

}  // namespace swiglu
