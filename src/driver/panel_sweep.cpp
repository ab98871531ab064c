#include "driver/panel_sweep.hpp"

#include <algorithm>

namespace swiglu {
namespace {

using kernels::kBlock;
using kernels::kPanelColumns;
using kernels::TileArgs;

const float* tile_start(const PanelProduct& g, std::size_t tile, std::size_t k0) {
  return g.x + g.tiles.begin(tile) * g.x_width + k0 * g.tiles.size(tile);
}

TileArgs tile_args(const PanelProduct& g, std::size_t tile, std::size_t panel, std::size_t k0, std::size_t k,
                   float* partial) {
  const std::size_t rows = g.tiles.size(tile);
  const std::size_t row = g.tiles.begin(tile);
  const float* start = g.panels + panel * g.panel_stride;
  TileArgs a;
  a.x = tile_start(g, tile, k0);
  a.bias = start;
  a.panel = start + (1 + k0) * kPanelColumns;
  a.panel_stride = g.panel_stride;
  a.k = k;
  a.first = k0 == 0;
  a.last = k0 + k == g.k;
  a.partial = partial;
  a.out = g.out + row * g.out_row_stride + panel * (g.out_tiled ? rows * kBlock : kPanelColumns);
  a.out_stride = g.out_row_stride;
  a.columns = g.columns - std::min(g.columns, panel * kPanelColumns);
  a.accumulate = g.accumulate;
  return a;
}

// One row tile: the weights are streamed and the stream must never stop, so the prefetch runs a fixed distance ahead,
// across the end of a panel into the panel that comes next. Where several panels are taken at once (few rows), each is
// a stream of its own and jumps to the panel that many further on.
void stream(const PanelProduct& g, std::size_t first, std::size_t last, float* partial) {
  const std::size_t rows = g.tiles.size(0);
  const std::size_t at_once = g.set->panels[rows];
  const std::size_t ahead_many = g.set->streams_prefetch_rows / at_once;
  // Rows of k before the jump; a whole number of blocks because tiles are cut only there.
  const std::size_t body = g.k > ahead_many ? (g.k - ahead_many) / kBlock * kBlock : 0;
  for (std::size_t p = first; p < last;) {
    const std::size_t panels = last - p >= at_once ? at_once : 1;
    const kernels::TileFn fn = panels > 1 ? g.table->many[rows] : g.table->one[rows];
    const auto run = [&](std::size_t k0, std::size_t k, std::size_t rows_ahead) {
      TileArgs a = tile_args(g, 0, p, k0, k, partial);
      a.columns = std::min(a.columns, panels * kPanelColumns);
      a.prefetch = a.panel + rows_ahead * kPanelColumns;
      a.prefetch_step = kPanelColumns;
      fn(a);
    };
    if (panels == 1 || body == 0) {
      run(0, g.k, g.set->prefetch_rows);
    } else {
      run(0, body, ahead_many);
      run(body, g.k - body, panels * (g.k + 1) - body);
    }
    p += panels;
  }
}

// Several row tiles: a block of k stays in the near caches while every tile uses it, and each tile fetches its share of
// the block that comes next, so that the stream from memory goes on under the arithmetic.
void reuse(const PanelProduct& g, std::size_t first, std::size_t last, float* partial) {
  const std::size_t units = (g.k + kBlock - 1) / kBlock;
  const EqualPieces blocks(units, g.set->k_block / kBlock);  // even blocks: a short last one starves the prefetch
  const std::size_t tiles = g.tiles.count();
  for (std::size_t p = first; p < last; ++p) {
    for (std::size_t b = 0; b < blocks.count(); ++b) {
      const std::size_t k0 = blocks.begin(b) * kBlock;
      const std::size_t k = std::min(g.k - k0, blocks.size(b) * kBlock);
      for (std::size_t t = 0; t < tiles; ++t) {
        TileArgs a = tile_args(g, t, p, k0, k, partial + g.tiles.begin(t) * kPanelColumns);
        a.columns = std::min(a.columns, kPanelColumns);
        a.prefetch = a.panel + (k + k * t / tiles) * kPanelColumns;
        // Rounded up: 32 / 9 rounded down would leave one line in six to be missed.
        a.prefetch_step = (kPanelColumns + tiles - 1) / tiles;
        const bool last_tile = t + 1 == tiles;
        const std::size_t next_k0 = !last_tile ? k0 : k0 + k < g.k ? k0 + k : 0;
        a.next_x = tile_start(g, last_tile ? 0 : t + 1, next_k0);
        g.table->one[g.tiles.size(t)](a);
      }
    }
  }
}

}  // namespace

void sweep_panels(const PanelProduct& product, std::size_t first, std::size_t last, float* partial) {
  if (product.tiles.count() == 1) {
    stream(product, first, last, partial);
  } else {
    reuse(product, first, last, partial);
  }
}

}  // namespace swiglu
