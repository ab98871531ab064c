// What a tile function fetches for later. Included by tile.hpp only.
#pragma once

#include <cstddef>

#include "kernels/kernel_set.hpp"

namespace swiglu::kernels {
namespace {

enum class Fetch {
  none,
  alone,   // two lines (a whole row) per panel, needed next: into L1
  shared,  // several tiles share the work: one line per row of k, by at most half a row further on each time. It is for
           // the block after this one: into L2, so that it does not push this block and x out of L1 (+1 point)
  sparse,  // the same, one line per four rows of k, by at most half a row further on each time
  shared_near,  // as shared, and the row that is needed soon from L2 into L1
  far,          // two lines into L2, and the row that is needed soon from there into L1
};

// The stream of the panel rows to come.
template <int PANELS, Fetch FETCH>
struct Prefetcher {
  const float* p;
  std::size_t panel_stride;
  std::size_t step;
  std::size_t near;

  // On each row of k.
  [[gnu::always_inline]] inline void row(const float* panel_row) {
    if constexpr (FETCH == Fetch::none) return;
    lines();
    p += step;
    if constexpr (FETCH == Fetch::far || FETCH == Fetch::shared_near) {
      __builtin_prefetch(panel_row + near, 0, 3);
      __builtin_prefetch(panel_row + near + 16, 0, 3);
    }
  }

  // On four rows of k together.
  [[gnu::always_inline]] inline void four_rows(const float* panel_row) {
    if constexpr (FETCH == Fetch::sparse) {
      lines();
      p += 4 * step;
    } else {
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) row(panel_row + r * kPanelColumns);
    }
  }

 private:
  [[gnu::always_inline]] inline void lines() const {
    constexpr int kLevel = FETCH == Fetch::alone ? 3 : 2;
#pragma GCC unroll 16
    for (int n = 0; n < PANELS; ++n) {
      const float* line = p + static_cast<std::size_t>(n) * panel_stride;
      __builtin_prefetch(line, 0, kLevel);
      if constexpr (FETCH == Fetch::alone || FETCH == Fetch::far) __builtin_prefetch(line + 16, 0, kLevel);
    }
  }
};

}  // namespace
}  // namespace swiglu::kernels
