#include "swiglu/elementwise.h"

#include <string>

#include "dispatch/kernel_sets.hpp"
#include "swiglu/error.h"
#include "validate.hpp"

namespace swiglu {
namespace {

const kernels::KernelSet& kernels_for(Isa isa) {
  if (isa != Isa::automatic) return kernel_set(resolve_isa(isa));
  // Once per process: these functions are called on small arrays, where reading the environment would show.
  static const kernels::KernelSet& automatic = kernel_set(resolve_isa(Isa::automatic));
  return automatic;
}

/// Elementwise work may be done in place; anything between in place and apart would read what it has overwritten.
void require_same_or_apart(const char* in_name, const ByteRows& in, const ByteRows& out) {
  if (same_rows(in, out) || !rows_overlap(in, out)) return;
  throw_overlap("out", reinterpret_cast<const void*>(out.begin), in_name, reinterpret_cast<const void*>(in.begin));
}

}  // namespace

void silu(const float* g, float* out, std::size_t n, Isa isa) {
  if (n == 0) return;
  const kernels::KernelSet& set = kernels_for(isa);
  const ByteRows out_rows = check_array("out", "n", out, n);
  require_same_or_apart("g", check_array("g", "n", g, n), out_rows);
  set.silu(g, out, n);
}

void silu_mul(const float* gate, const float* up, float* out, std::size_t n, Isa isa) {
  if (n == 0) return;
  const kernels::KernelSet& set = kernels_for(isa);
  const ByteRows out_rows = check_array("out", "n", out, n);
  require_same_or_apart("gate", check_array("gate", "n", gate, n), out_rows);
  require_same_or_apart("up", check_array("up", "n", up, n), out_rows);
  set.silu_mul(gate, up, out, n);
}

void silu_mul_rows(GateUpLayout layout, const float* gate_up, std::size_t gate_up_stride, float* out,
                   std::size_t out_stride, std::size_t T, std::size_t d_ff, Isa isa) {
  if (T == 0 || d_ff == 0) return;
  if (layout != GateUpLayout::halves_gate_first && layout != GateUpLayout::halves_up_first) {
    throw InvalidArgument("layout = " + std::to_string(static_cast<int>(layout)) +
                          ": must be halves_gate_first or halves_up_first");
  }
  const kernels::KernelSet& set = kernels_for(isa);
  std::size_t width = 0;
  if (__builtin_mul_overflow(d_ff, std::size_t{2}, &width)) {
    throw InvalidArgument("d_ff = " + std::to_string(d_ff) + ": 2·d_ff overflows");
  }
  const ByteRows in_rows = check_rows({"gate_up", "gate_up_stride", "2·d_ff", gate_up, T, width, gate_up_stride});
  const ByteRows out_rows = check_rows({"out", "out_stride", "d_ff", out, T, d_ff, out_stride});
  const std::size_t half = out_rows.width;
  // A single row has no stride of its own (check_rows): its halves take theirs from out.
  const std::size_t half_stride = T == 1 ? half : in_rows.stride;
  require_same_or_apart("gate_up", {in_rows.begin, T, half, half_stride}, out_rows);
  require_same_or_apart("gate_up", {in_rows.begin + half, T, half, half_stride}, out_rows);

  const bool gate_first = layout == GateUpLayout::halves_gate_first;
  for (std::size_t t = 0; t < T; ++t) {
    const float* first = gate_up + t * in_rows.stride_elements();
    const float* second = first + d_ff;
    set.silu_mul(gate_first ? first : second, gate_first ? second : first, out + t * out_rows.stride_elements(), d_ff);
  }
}

}  // namespace swiglu
