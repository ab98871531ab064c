// What happens to a finished tile, still in registers. Included by kernel_set_impl.hpp only.
#pragma once

#include "kernels/tile.hpp"

namespace swiglu::kernels {
namespace {

// hidden = act(gate) ⊙ up: the products of a tile pass through the near cache into the activation's loop, they are
// never stored whole. One loop for all tiles: inlined into each, it made the AVX-512 file compile for minutes, and a
// tile's last vectors too few to run side by side.
template <class B, int MR, int PANELS>
struct GateUpEpilogue {
  [[gnu::always_inline]] static inline void apply(Accumulators<B, MR, PANELS>& acc, const TileArgs& a) {
    constexpr int HALF = Accumulators<B, MR, PANELS>::NV / 2;
    constexpr std::size_t COUNT = PANELS * MR * kGateColumns;
    alignas(64) float gate[COUNT], up[COUNT];
#pragma GCC unroll 16
    for (int n = 0; n < PANELS; ++n)
#pragma GCC unroll 16
      for (int i = 0; i < MR; ++i)
#pragma GCC unroll 16
        for (int j = 0; j < HALF; ++j) {
          const std::size_t at = static_cast<std::size_t>(n * MR + i) * kGateColumns + j * B::size;
          acc.v[n][i][j].store_aligned(gate + at);
          acc.v[n][i][HALF + j].store_aligned(up + at);
        }
    a.glu->kernel.forward(gate, up, a.out, COUNT, a.glu->parameters);
  }

  // The same of a tile that was stored as two halves, [MR][16] each.
  static void apply(const float* gate, const float* up, const TileArgs& a) {
    a.glu->kernel.forward(gate, up, a.out, MR * kGateColumns, a.glu->parameters);
  }
};

// y = acc, or y += acc. Full panels are stored from registers; a ragged last panel goes through a temporary tile, so
// that no byte past `columns` is read or written.
template <class B, int MR, int PANELS>
struct DownEpilogue {
  [[gnu::always_inline]] static inline void apply(Accumulators<B, MR, PANELS>& acc, const TileArgs& a) {
    if (a.columns == PANELS * kPanelColumns) {
      a.accumulate ? store<true>(acc, a) : store<false>(acc, a);
    } else {
      alignas(64) float tile[PANELS * MR * kPanelColumns];
      store_rows(acc, tile, kPanelColumns);
      store_ragged(tile, a);
    }
  }

  // The same of a tile that was stored as two halves, [MR][16] each.
  static void apply(const float* left, const float* right, const TileArgs& a) {
    for (std::size_t begin = 0; begin < kPanelColumns && begin < a.columns; begin += kHalf) {
      const std::size_t width = a.columns - begin < kHalf ? a.columns - begin : kHalf;
      for (std::size_t i = 0; i < MR; ++i)
        store_row((begin == 0 ? left : right) + i * kHalf, width, a.out + i * a.out_stride + begin, a.accumulate);
    }
  }

 private:
  static constexpr std::size_t kHalf = kPanelColumns / 2;

  template <bool ACCUMULATE>
  [[gnu::always_inline]] static inline void store(const Accumulators<B, MR, PANELS>& acc, const TileArgs& a) {
    constexpr int NV = Accumulators<B, MR, PANELS>::NV;
#pragma GCC unroll 16
    for (int n = 0; n < PANELS; ++n)
#pragma GCC unroll 16
      for (int i = 0; i < MR; ++i)
#pragma GCC unroll 16
        for (int j = 0; j < NV; ++j) {
          float* y = a.out + static_cast<std::size_t>(i) * a.out_stride + n * kPanelColumns + j * B::size;
          B v = acc.v[n][i][j];
          if constexpr (ACCUMULATE) v = B::load_unaligned(y) + v;
          v.store_unaligned(y);
        }
  }

  static void store_ragged(const float* tile, const TileArgs& a) {
    for (int n = 0; n < PANELS; ++n)
      for (int i = 0; i < MR; ++i) {
        const std::size_t begin = static_cast<std::size_t>(n) * kPanelColumns;
        if (a.columns <= begin) break;
        const std::size_t width = a.columns - begin < kPanelColumns ? a.columns - begin : kPanelColumns;
        float* y = a.out + static_cast<std::size_t>(i) * a.out_stride + begin;
        store_row(tile + (static_cast<std::size_t>(n) * MR + i) * kPanelColumns, width, y, a.accumulate);
      }
  }

  static void store_row(const float* row, std::size_t width, float* y, bool accumulate) {
    for (std::size_t c = 0; c < width; ++c) y[c] = accumulate ? y[c] + row[c] : row[c];
  }
};

}  // namespace
}  // namespace swiglu::kernels
