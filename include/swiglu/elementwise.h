#pragma once

#include <cstddef>

#include "swiglu/activation.h"
#include "swiglu/export.h"
#include "swiglu/function.h"
#include "swiglu/isa.h"
#include "swiglu/weights.h"

namespace swiglu {

// Elementwise functions on f32 arrays, the same arithmetic as inside the block (same bits on avx2, avx512 and neon): in
// double, each factor rounded once. Full gradual underflow; NaN stays NaN. Only element alignment is needed. The
// caller's floating-point mode changes nothing and is left as it was. Throw InvalidArgument (an invalid activation or
// layout; if there are elements, a null pointer, stride < width, partial overlap) or Unsupported (ISA). `isa` =
// automatic reads SWIGLU_ISA once per process.

/// out[i] = f(x[i]), i < n. out may be x itself (in place), else they must not overlap.
SWIGLU_API void apply(Function f, const float* x, float* out, std::size_t n, Isa isa = Isa::automatic);

/// out[i] = act(gate[i])·v(up[i]), i < n: one element of the block's hidden row. out may be gate or up itself.
SWIGLU_API void glu(const Activation& activation, const float* gate, const float* up, float* out, std::size_t n,
                    Isa isa = Isa::automatic);

/// Rows of a fused product: gate_up is [T][2·d_ff] in `layout`, out is [T][d_ff]:
/// out[t][j] = act(gate(t, j))·v(up(t, j)). Strides in elements: gate_up_stride ≥ 2·d_ff, out_stride ≥ d_ff.
/// out may be the gate half or the up half itself (same stride), else it must not share memory with them.
/// `layout` must be one of the halves (interleaved products do not occur: weights are de-interleaved when packed).
SWIGLU_API void glu_rows(const Activation& activation, GateUpLayout layout, const float* gate_up,
                         std::size_t gate_up_stride, float* out, std::size_t out_stride, std::size_t T,
                         std::size_t d_ff, Isa isa = Isa::automatic);

/// The gradients of glu(), given d loss/d hidden, i < n:
///
///     d_gate[i] = d_hidden[i]·act'(gate[i])·v(up[i])        d_up[i] = d_hidden[i]·act(gate[i])·v'(up[i])
///
/// The activation is computed anew, nothing is kept from the forward pass. At kinks the slopes are PyTorch's: a clamp
/// passes the gradient at equality, relu has slope 0 at 0. Products are formed in double and rounded once; act or act'
/// below 2^-150, which f32 cannot hold, counts as some number between 0 and that, so that beside an infinite operand
/// NaN or ∞ comes out. Each output may be one of the inputs itself; else they must not overlap, nor may the outputs
/// overlap each other.
SWIGLU_API void glu_backward(const Activation& activation, const float* gate, const float* up, const float* d_hidden,
                             float* d_gate, float* d_up, std::size_t n, Isa isa = Isa::automatic);

/// apply(Function::silu, …).
SWIGLU_API void silu(const float* g, float* out, std::size_t n, Isa isa = Isa::automatic);

/// glu and glu_rows of the default activation.
SWIGLU_API void silu_mul(const float* gate, const float* up, float* out, std::size_t n, Isa isa = Isa::automatic);
SWIGLU_API void silu_mul_rows(GateUpLayout layout, const float* gate_up, std::size_t gate_up_stride, float* out,
                              std::size_t out_stride, std::size_t T, std::size_t d_ff, Isa isa = Isa::automatic);

}  // namespace swiglu
