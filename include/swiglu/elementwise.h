#pragma once

#include <cstddef>

#include "swiglu/export.h"
#include "swiglu/isa.h"
#include "swiglu/weights.h"

namespace swiglu {

// Elementwise functions on f32 arrays, the same arithmetic as inside the block (same bits on avx2, avx512 and neon).
// silu(g) = g·σ(g) = g / (1 + e^-g); silu(−∞) = −0, silu(+∞) = +∞, NaN stays NaN. Full gradual underflow.
// Only element alignment is needed. Throw InvalidArgument (null pointer with n > 0, stride < width, partial overlap)
// or Unsupported (ISA). `isa` = automatic reads SWIGLU_ISA once per process.

/// out[i] = silu(g[i]), i < n. out may be g itself (in place), else they must not overlap.
SWIGLU_API void silu(const float* g, float* out, std::size_t n, Isa isa = Isa::automatic);

/// out[i] = silu(gate[i]) · up[i], i < n. out may be gate or up itself.
SWIGLU_API void silu_mul(const float* gate, const float* up, float* out, std::size_t n, Isa isa = Isa::automatic);

/// Rows of a fused product: gate_up is [T][2·d_ff] in `layout`, out is [T][d_ff]:
/// out[t][j] = silu(gate(t, j)) · up(t, j). Strides in elements: gate_up_stride ≥ 2·d_ff, out_stride ≥ d_ff.
/// out may be the gate half or the up half itself (same stride), else it must not share memory with them.
/// `layout` must be one of the halves (interleaved products do not occur: weights are de-interleaved when packed).
SWIGLU_API void silu_mul_rows(GateUpLayout layout, const float* gate_up, std::size_t gate_up_stride, float* out,
                              std::size_t out_stride, std::size_t T, std::size_t d_ff, Isa isa = Isa::automatic);

}  // namespace swiglu
