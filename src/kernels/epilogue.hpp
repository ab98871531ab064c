// What happens to a finished tile, still in registers. Included by kernel_set_impl.hpp only.
#pragma once

#include "kernels/activation.hpp"
#include "kernels/tile.hpp"

namespace swiglu::kernels {
namespace {

// hidden = silu(gate) ⊙ up: the two products are never stored.
template <class B, int MR, int PANELS>
struct GateUpEpilogue {
  [[gnu::always_inline]] static inline void apply(Accumulators<B, MR, PANELS>& acc, const TileArgs& a) {
    constexpr int HALF = Accumulators<B, MR, PANELS>::NV / 2;
    constexpr int COUNT = PANELS * MR * HALF;  // vectors of hidden, in the order in which they are stored
    constexpr int N = kGroup;
#pragma GCC unroll 16
    for (int first = 0; first + N <= COUNT; first += N) finish<N>(acc, first, a.out);
    finish<COUNT % N>(acc, COUNT - COUNT % N, a.out);
  }

 private:
  template <int N>
  [[gnu::always_inline]] static inline void finish(const Accumulators<B, MR, PANELS>& acc, int first, float* out) {
    if constexpr (N > 0) {
      constexpr int HALF = Accumulators<B, MR, PANELS>::NV / 2;
      Group<B, N> gate;
#pragma GCC unroll 16
      for (int s = 0; s < N; ++s) {
        const int tile_row = (first + s) / HALF;
        gate.v[s] = acc.v[tile_row / MR][tile_row % MR][(first + s) % HALF];
      }
      const Group<B, N> silu = silu_of(gate);
#pragma GCC unroll 16
      for (int s = 0; s < N; ++s) {
        const int tile_row = (first + s) / HALF;
        const B hidden = silu.v[s] * acc.v[tile_row / MR][tile_row % MR][HALF + (first + s) % HALF];
        hidden.store_aligned(out + (first + s) * B::size);
      }
    }
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
      store_tile(acc, tile);
      store_ragged(tile, a);
    }
  }

 private:
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
        const float* t = tile + (static_cast<std::size_t>(n) * MR + i) * kPanelColumns;
        for (std::size_t c = 0; c < width; ++c) y[c] = a.accumulate ? y[c] + t[c] : t[c];
      }
  }
};

}  // namespace
}  // namespace swiglu::kernels
