#pragma once

// The kernel contract: what the driver may ask of one instruction set. No xsimd, no ISA names, no C++ library types.
//
// A packed panel is 32 columns, k-major, f32 (design: one format for every ISA):
//
//     row 0      b0 … b15 | b16 … b31        biases, zeros if there are none
//     row 1      w0 … w15 | w16 … w31        weights of input unit 0
//     row 1+q    …                           weights of input unit q, q < k
//
// gate-up panel p: columns 0..15 are gate units 16p..16p+15, columns 16..31 the up units of the same numbers.
// down panel p:    columns 0..31 are output units 32p..32p+31.
// Columns past the matrix are zero. Panels follow each other without a gap, each 64-byte aligned.
//
// Activation rows (x, hidden) come in *row tiles* of mr rows, blocked by 16 columns, so that a kernel walks one pointer
// with constant row offsets and no power-of-two stride ever meets a cache set twice:
//
//     element (i, q) of a tile  =  tile[(q / 16) · mr · 16  +  i · 16  +  q % 16]        i < mr
//
// A tile of one row is therefore the plain row. The last block may be short: columns ≥ k are never read.

#include <cstddef>
#include <cstdint>

#include "swiglu/function.h"
#include "swiglu/isa.h"

namespace swiglu::kernels {

inline constexpr std::size_t kPanelColumns = 32;
inline constexpr std::size_t kGateColumns = 16;  // gate (and up) columns in a gate-up panel
inline constexpr std::size_t kBlock = 16;        // columns per block of a row tile
inline constexpr std::size_t kMaxTileRows = 16;  // upper bound of KernelSet::tile_rows over all sets

inline constexpr double kInfinity = __builtin_inf();
inline constexpr double kQuickGelu = 1.702;

/// Parameters of the GLU kernels. The defaults make every kernel its plain form.
struct GluParameters {
  // swish: act(g) = min(output_scale·silu(input_scale·min(max(g, gate_low), gate_high)), ceiling)
  double input_scale = 1;
  double output_scale = 1;
  double gate_low = -kInfinity;
  double gate_high = kInfinity;
  double ceiling = kInfinity;
  // clamped up: v(u) = min(max(u, -up_limit), up_limit) + up_offset
  double up_limit = kInfinity;
  double up_offset = -0.0;
  // situ: act(g) = tanh_gate·tanh(g/tanh_gate)·σ(g), v(u) = tanh_up·tanh(u/tanh_up)
  double tanh_gate = 1;
  double tanh_up = 1;
};

/// out[i] = act(gate[i])·v(up[i]), i < n: both factors rounded to f32, then their product. out may be gate or up.
using GluFn = void (*)(const float* gate, const float* up, float* out, std::size_t n, const GluParameters& p);

/// d_gate[i] = d_hidden[i]·act'(gate[i])·v(up[i]), d_up[i] = d_hidden[i]·act(gate[i])·v'(up[i]), i < n, each rounded
/// once. An output may be one of the inputs.
using GluBackwardFn = void (*)(const float* gate, const float* up, const float* d_hidden, float* d_gate, float* d_up,
                               std::size_t n, const GluParameters& p);

/// The kernels behind the presets of activation.h (which maps to which: src/glu.cpp).
enum class GluKind : std::uint8_t {
  silu,           // act = silu, v = u
  swish,          // act = swish, v = u
  swish_clamped,  // act = swish, v = clamped up
  gelu_tanh,
  gelu_erf,
  situ,
  relu,
  relu_squared,
  sigmoid,
  identity,
};
inline constexpr std::size_t kGluKinds = 10;

struct GluKernel {
  GluFn forward;
  GluBackwardFn backward;
};

/// A kernel with its parameters: what one block or one elementwise call uses.
struct Glu {
  GluKernel kernel;
  GluParameters parameters;
};

/// out[i] = f(x[i]), i < n. out may be x.
using MapFn = void (*)(const float* x, float* out, std::size_t n);
inline constexpr std::size_t kFunctions = 8;  // enumerators of Function

/// One call computes tile(s) of mr rows × 32 columns for the panels panel, panel + panel_stride, … (as many as the
/// function is made for) over k rows of the panels:
///
///     acc(i, c) = first ? bias(c) : partial(i, c);   for q ascending: acc = fma(x(i, q), w(q, c), acc)
///     last ? epilogue(acc) : partial(i, c) = acc
///
/// so that a chain cut into several calls is the same chain (contracts C2 and C3).
struct TileArgs {
  const float* x = nullptr;         // row tile, at the first column of this call (a multiple of 16)
  const float* bias = nullptr;      // row 0 of the first panel
  const float* panel = nullptr;     // the first panel's row for that column, 64-byte aligned
  std::size_t panel_stride = 0;     // elements between panels
  std::size_t k = 0;                // rows of this call, ≥ 0; a multiple of 16 unless it reaches the end of the matrix
  bool first = true;                // start from the biases
  bool last = true;                 // apply the epilogue
  float* partial = nullptr;         // [panels][mr][32], 64-byte aligned; used unless first && last
  const float* prefetch = nullptr;  // per row of k, the kernel prefetches one line at prefetch + n·panel_stride for
                                    // each panel n (two lines if prefetch_step ≥ 32) and then advances by prefetch_step
                                    // elements; null = no prefetch. Rows whose lines others fetch may be left out. A
                                    // tall tile does so in each of its two passes over k
  std::size_t prefetch_step = 0;
  std::size_t prefetch_near = 0;  // > 0, only for one panel: those lines go into L2, and the panel row that is so many
                                  // elements further on goes into L1; ignored where no tuning of the set has it
  const float* next_x = nullptr;  // the row tile that the next call works on, where prefetch_step < 32

  // Epilogue gate-up: h = glu(gate, up). `out` is the row tile of hidden at this panel's block: [panels][mr][16],
  // 64-byte aligned, all 16 columns are written (those past d_ff are never read).
  // Epilogue down: y (+)= acc for the first `columns` columns of the panels together; rows out_stride apart.
  const Glu* glu = nullptr;
  float* out = nullptr;
  std::size_t out_stride = 0;
  std::size_t columns = 0;
  bool accumulate = false;
};

using TileFn = void (*)(const TileArgs&);

/// Tile functions of one epilogue, indexed by row count: 1..tile_rows and tall_rows (all others are null).
struct TileTable {
  TileFn one[kMaxTileRows + 1];   // one panel
  TileFn many[kMaxTileRows + 1];  // KernelSet::panels[mr] panels at once; null where that is 1
};

/// How a lone row tile's panels are brought in from memory.
struct Streaming {
  std::uint8_t panels = 1;  // at once: 1, or KernelSet::panels[mr]
  std::uint16_t ahead = 0;  // rows of k that the prefetch runs ahead, shared by those panels; 0: left to the hardware
  std::uint16_t ahead_alone = 0;  // the same for a panel that is left over, where `panels` > 1
  std::uint16_t near = 0;  // 0: straight into L1; else into L2, and from there into L1 so many rows ahead (1 panel)
};

/// What depends on caches and not on instructions; results do not depend on it (C2).
struct Tuning {
  std::size_t k_block = 0;  // rows of k whose panel block stays in the near caches while all row tiles use it
  std::uint16_t near = 0;   // Streaming::near for several row tiles, whose prefetch always goes into L2
  Streaming streaming[kMaxTileRows + 1];  // by row count
  // Fewest rows, times the number of workers, with which a worker may stream all weights (driver/row_plan.hpp). It goes
  // by the arithmetic of a core, too: the class of caches stands for the CPUs that it was measured on.
  std::uint16_t row_parallel_rows = 12;
};

/// Which of its tunings a kernel set is run with (src/dispatch/tuning.hpp chooses).
enum class CacheClass : std::uint8_t {
  large_l1,  // 48 KiB of L1 data cache and more, or unknown
  small_l1,  // 32 KiB
};
inline constexpr std::size_t kCacheClasses = 2;

struct KernelSet {
  Isa isa;
  std::size_t tile_rows;  // MR
  std::size_t tall_rows;  // 0, or the rows of a taller tile that passes over its panel twice, one[] only
  std::uint8_t panels[kMaxTileRows + 1];  // panels that `many` takes at once, by row count
  Tuning tunings[kCacheClasses];          // indexed by CacheClass
  TileTable gate_up;
  TileTable down;
  GluKernel glu[kGluKinds];     // indexed by GluKind
  MapFn functions[kFunctions];  // indexed by Function
};

}  // namespace swiglu::kernels

namespace swiglu::kernels {

// One per kernels_<isa>.cpp, constant-initialised; only those that kernels.cmake compiled (SWIGLU_HAVE_<ISA>) exist.
extern const KernelSet kKernelSet_portable;
extern const KernelSet kKernelSet_avx2;
extern const KernelSet kKernelSet_avx512;
extern const KernelSet kKernelSet_neon;

}  // namespace swiglu::kernels
