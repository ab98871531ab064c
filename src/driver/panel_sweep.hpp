#pragma once

// One matrix product over a range of panels: the loops around the micro-kernel, for one worker.

#include <cstddef>

#include "driver/row_tiles.hpp"
#include "kernels/kernel_set.hpp"

namespace swiglu {

/// Row tiles · panels → epilogue. Everything a worker needs; read only, shared by all workers of a phase.
struct PanelProduct {
  const kernels::Tuning* tuning = nullptr;
  const kernels::TileTable* table = nullptr;
  const kernels::Glu* glu = nullptr;  // gate-up
  const float* panels = nullptr;
  std::size_t panel_stride = 0;
  std::size_t k = 0;

  const float* x = nullptr;  // row tiles; tile t starts at x + tiles.begin(t) · x_width
  std::size_t x_width = 0;   // round_up(k, 16)
  RowTiles tiles{0, 1, 0};

  // Where tile t, panel p goes: out + tiles.begin(t) · out_row_stride + p · (out_tiled ? rows(t) · 16 : 32).
  float* out = nullptr;
  std::size_t out_row_stride = 0;
  bool out_tiled = false;   // gate-up writes hidden in row tiles, down writes rows of y
  std::size_t columns = 0;  // down: d_model
  bool accumulate = false;
};

/// Computes panels [first, last) for all rows. `after`: the panel that this worker will go on with, which the last ones
/// prefetch (the number of panels if none). `partial`: this worker's scratch (WorkspaceLayout::partial).
void sweep_panels(const PanelProduct& product, std::size_t first, std::size_t last, std::size_t after, float* partial);

}  // namespace swiglu
