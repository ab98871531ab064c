// The one inner loop: mr rows × 32 columns of PANELS panels, accumulators in registers.
// Included by kernel_set_impl.hpp only, inside a per-ISA translation unit.
#pragma once

#include <cstddef>
#include <xsimd/xsimd.hpp>

#include "kernels/kernel_set.hpp"
#include "kernels/lane_fma.hpp"
#include "kernels/prefetcher.hpp"

namespace swiglu::kernels {
namespace {

// Accumulators of a tile, COLUMNS of each panel at a time. Every loop over them must be unrolled, else they live on the
// stack and the tile runs 3–10× slower; tests/disassembly_test.py holds the compiler to it.
template <class B, int MR, int PANELS, std::size_t COLUMNS = kPanelColumns>
struct Accumulators {
  static constexpr int NV = static_cast<int>(COLUMNS / B::size);
  // Four rows of k at once. NEON's multiply-adds by lane need it. With narrow registers a row is a short loop, a fifth
  // of it counters and pointers: AVX2, 3 rows, 26 instructions a row, 20.5 if four go together. It shows where the
  // core's other hardware thread takes half of its issue slots (T = 64 of 1024/2816 on Zen 4: +4 %), not on a quiet
  // core. Two panels are for few rows, which wait for memory, and GCC runs out of pointer registers for them.
  static constexpr bool kFourRows = LaneFma<B>::kAvailable || (B::size < 16 && PANELS == 1);
  B v[PANELS][MR][NV];
};

// One row of k: acc(i, c) += x(i)·w(c). x points at the row tile's column, so row i is 16 floats further on.
template <class B, int MR, int PANELS, std::size_t COLUMNS>
[[gnu::always_inline]] inline void multiply_row(Accumulators<B, MR, PANELS, COLUMNS>& acc, const float* x,
                                                const float* panel, std::size_t panel_stride) {
  constexpr int NV = Accumulators<B, MR, PANELS, COLUMNS>::NV;
#pragma GCC unroll 16
  for (int n = 0; n < PANELS; ++n) {
    const float* w = panel + static_cast<std::size_t>(n) * panel_stride;
    if constexpr (MR > NV) {  // wide registers, many rows: the panel row stays in registers, broadcasts pass by
      B wv[NV];
#pragma GCC unroll 16
      for (int j = 0; j < NV; ++j) wv[j] = B::load_aligned(w + j * B::size);
#pragma GCC unroll 16
      for (int i = 0; i < MR; ++i) {
        const B b(x[i * kBlock]);
#pragma GCC unroll 16
        for (int j = 0; j < NV; ++j) acc.v[n][i][j] = xsimd::fma(b, wv[j], acc.v[n][i][j]);
      }
    } else {  // narrow registers, few rows: the broadcasts stay, the panel row passes by
      B b[MR];
#pragma GCC unroll 16
      for (int i = 0; i < MR; ++i) b[i] = B(x[i * kBlock]);
#pragma GCC unroll 16
      for (int j = 0; j < NV; ++j) {
        // NEON, 3 × 8: with all 8 loads hoisted to the top, 24 + 8 + 3 registers are needed of 32 and GCC spills three
        // accumulators in every row. A compiler barrier (no instruction) keeps the second half of the loads below.
        if (j == 4) asm volatile("" ::: "memory");
        const B wv = B::load_aligned(w + j * B::size);
#pragma GCC unroll 16
        for (int i = 0; i < MR; ++i) acc.v[n][i][j] = xsimd::fma(b[i], wv, acc.v[n][i][j]);
      }
    }
  }
}

// Row LANE of four rows of k, x(i, 0..3) in one register per row of the tile.
template <int LANE, class B, int MR, int PANELS, std::size_t COLUMNS>
[[gnu::always_inline]] inline void multiply_lane(Accumulators<B, MR, PANELS, COLUMNS>& acc, const B (&x)[MR],
                                                 const float* panel, std::size_t panel_stride) {
  constexpr int NV = Accumulators<B, MR, PANELS, COLUMNS>::NV;
#pragma GCC unroll 16
  for (int n = 0; n < PANELS; ++n) {
    const float* w = panel + static_cast<std::size_t>(n) * panel_stride + LANE * kPanelColumns;
#pragma GCC unroll 16
    for (int j = 0; j < NV; ++j) {
      if (j % 4 == 0) asm volatile("" ::: "memory");  // see multiply_row
      const B wv = B::load_aligned(w + j * B::size);
#pragma GCC unroll 16
      for (int i = 0; i < MR; ++i) acc.v[n][i][j] = LaneFma<B>::template fma<LANE>(x[i], wv, acc.v[n][i][j]);
    }
  }
}

template <class B, int MR, int PANELS, std::size_t COLUMNS>
[[gnu::always_inline]] inline void multiply_four_rows(Accumulators<B, MR, PANELS, COLUMNS>& acc, const float* x,
                                                      const float* panel, std::size_t panel_stride) {
  if constexpr (LaneFma<B>::kAvailable) {
    B xv[MR];
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i) xv[i] = B::load_unaligned(x + i * kBlock);
    multiply_lane<0>(acc, xv, panel, panel_stride);
    multiply_lane<1>(acc, xv, panel, panel_stride);
    multiply_lane<2>(acc, xv, panel, panel_stride);
    multiply_lane<3>(acc, xv, panel, panel_stride);
  } else {
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) multiply_row(acc, x + r, panel + r * kPanelColumns, panel_stride);
  }
}

template <Fetch FETCH, class B, int MR, int PANELS, std::size_t COLUMNS>
[[gnu::always_inline]] inline void multiply(Accumulators<B, MR, PANELS, COLUMNS>& acc, const TileArgs& a) {
  const float* x = a.x;
  const float* w = a.panel;
  // Many tall tiles: x comes from L2 or beyond, 16 columns of it are MR lines, and the hardware's prefetcher starts
  // anew with every tile. One line ahead per row of k: T = 128, 2048/5632, one Zen 5 core 89.8 → 92.8 % of the roofline
  // (x in L1 all the time: 95.5). Tiles of 8 rows and less belong to few rows, which stay in L1 anyway.
  constexpr bool kFetchX = (FETCH == Fetch::shared || FETCH == Fetch::shared_near) && MR > 8;
  Prefetcher<PANELS, FETCH> stream{a.prefetch, a.panel_stride, a.prefetch_step, a.prefetch_near};
  for (std::size_t left = a.k; left > 0;) {
    const std::size_t rows = left < kBlock ? left : kBlock;
    const float* xq = x;
    const float* coming = left > kBlock ? x + MR * kBlock : a.next_x;
    std::size_t q = 0;
    if constexpr (Accumulators<B, MR, PANELS, COLUMNS>::kFourRows) {
      for (; q + 4 <= rows; q += 4) {
        stream.four_rows(w);
        multiply_four_rows(acc, xq, w, a.panel_stride);
        w += 4 * kPanelColumns;
        xq += 4;
      }
    }
    for (; q < rows; ++q) {
      stream.row(w);
      if constexpr (kFetchX) {
        __builtin_prefetch(coming, 0, 3);
        coming += kBlock;
      }
      multiply_row(acc, xq, w, a.panel_stride);
      w += kPanelColumns;
      ++xq;
    }
    x += MR * kBlock;
    left -= rows;
  }
}

template <class B, int MR, int PANELS, std::size_t COLUMNS>
[[gnu::always_inline]] inline void load_start(Accumulators<B, MR, PANELS, COLUMNS>& acc, const TileArgs& a) {
  constexpr int NV = Accumulators<B, MR, PANELS, COLUMNS>::NV;
#pragma GCC unroll 16
  for (int n = 0; n < PANELS; ++n) {
    if (a.first) {
      const float* bias = a.bias + static_cast<std::size_t>(n) * a.panel_stride;
#pragma GCC unroll 16
      for (int j = 0; j < NV; ++j) {
        const B b = B::load_aligned(bias + j * B::size);
#pragma GCC unroll 16
        for (int i = 0; i < MR; ++i) acc.v[n][i][j] = b;
      }
    } else {
      const float* partial = a.partial + n * MR * kPanelColumns;
#pragma GCC unroll 16
      for (int i = 0; i < MR; ++i)
#pragma GCC unroll 16
        for (int j = 0; j < NV; ++j) acc.v[n][i][j] = B::load_aligned(partial + i * kPanelColumns + j * B::size);
    }
  }
}

// Rows `stride` floats apart.
template <class B, int MR, int PANELS, std::size_t COLUMNS>
[[gnu::always_inline]] inline void store_rows(const Accumulators<B, MR, PANELS, COLUMNS>& acc, float* rows,
                                              std::size_t stride) {
  constexpr int NV = Accumulators<B, MR, PANELS, COLUMNS>::NV;
#pragma GCC unroll 16
  for (int n = 0; n < PANELS; ++n)
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i)
#pragma GCC unroll 16
      for (int j = 0; j < NV; ++j)
        acc.v[n][i][j].store_aligned(rows + static_cast<std::size_t>(n * MR + i) * stride + j * B::size);
}

// Start and multiply, fetching as the arguments say. NEAR: prefetch_near is known.
template <bool NEAR, class B, int MR, int PANELS, std::size_t COLUMNS>
[[gnu::always_inline]] inline void accumulate(Accumulators<B, MR, PANELS, COLUMNS>& acc, const TileArgs& a) {
  constexpr bool kSparse = Accumulators<B, MR, PANELS, COLUMNS>::kFourRows && PANELS == 1;
  load_start(acc, a);
  const bool shared = a.prefetch_step < kPanelColumns;
  if (a.prefetch == nullptr) {
    multiply<Fetch::none>(acc, a);
  } else if (NEAR && a.prefetch_near > 0) {
    if constexpr (NEAR) shared ? multiply<Fetch::shared_near>(acc, a) : multiply<Fetch::far>(acc, a);
  } else if (kSparse && a.prefetch_step <= kPanelColumns / 8) {
    if constexpr (kSparse) multiply<Fetch::sparse>(acc, a);
  } else {
    shared ? multiply<Fetch::shared>(acc, a) : multiply<Fetch::alone>(acc, a);
  }
}

// A tile function.
template <class Arch, bool NEAR, template <class, int, int> class Epilogue, int MR, int PANELS>
void tile(const TileArgs& a) {
  using B = xsimd::batch<float, Arch>;
  Accumulators<B, MR, PANELS> acc;
  accumulate<NEAR>(acc, a);
  if (a.last) {
    Epilogue<B, MR, PANELS>::apply(acc, a);
  } else {
    store_rows(acc, a.partial, kPanelColumns);
  }
}

}  // namespace
}  // namespace swiglu::kernels
