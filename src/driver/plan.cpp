#include "driver/plan.hpp"

#include <algorithm>

#include "round_up.hpp"

namespace swiglu {

WorkspaceLayout workspace_layout(const PackedBlock& block, std::size_t T, std::size_t workers) {
  using kernels::kBlock;
  const std::size_t rows = std::min(T, kMaxBlockRows);
  WorkspaceLayout layout;
  layout.x = 0;
  // One row needs no packing: a tile of one row is the row itself.
  layout.hidden = layout.x + (rows > 1 ? rows * round_up(block.d_model, kBlock) : 0);
  layout.partial = layout.hidden + rows * round_up(block.d_ff, kBlock);
  // Few rows take several panels at once, each with sums of its own: up to 12 rows' worth (3 rows × 4 panels, AVX-512).
  std::size_t partial_rows = rows;
  for (std::size_t mr = 1; mr <= rows && mr <= block.set->tile_rows; ++mr) {
    const std::size_t in_flight = mr * block.set->panels[mr];
    partial_rows = partial_rows < in_flight ? in_flight : partial_rows;
  }
  layout.partial_stride = partial_rows * kernels::kPanelColumns;
  layout.floats = layout.partial + workers * layout.partial_stride;
  return layout;
}

}  // namespace swiglu
