#include "swiglu/elementwise.h"

#include <string>
#include <utility>

#include "default_floating_point.hpp"
#include "dispatch/kernel_sets.hpp"
#include "glu.hpp"
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

kernels::Glu glu_for(const Activation& activation, Isa isa) {
  activation.validate();
  return bind_glu(kernels_for(isa), activation);
}

/// Elementwise work may be done in place; anything between in place and apart would read what it has overwritten.
void require_same_or_apart(const char* in_name, const ByteRows& in, const char* out_name, const ByteRows& out) {
  if (same_rows(in, out) || !rows_overlap(in, out)) return;
  throw_overlap(out_name, reinterpret_cast<const void*>(out.begin), in_name, reinterpret_cast<const void*>(in.begin));
}

void map_array(Function f, const char* in_name, const float* in, float* out, std::size_t n, Isa isa) {
  const kernels::MapFn fn = kernels_for(isa).functions[static_cast<std::size_t>(f)];
  if (n == 0) return;
  const ByteRows out_row = check_array("out", "n", out, n);
  require_same_or_apart(in_name, check_array(in_name, "n", in, n), "out", out_row);
  const DefaultFloatingPoint mode;
  fn(in, out, n);
}

}  // namespace

void apply(Function f, const float* x, float* out, std::size_t n, Isa isa) {
  if (static_cast<std::size_t>(f) >= kernels::kFunctions) {
    throw InvalidArgument("f = " + std::to_string(static_cast<int>(f)) + ": not a Function value");
  }
  map_array(f, "x", x, out, n, isa);
}

void glu(const Activation& activation, const float* gate, const float* up, float* out, std::size_t n, Isa isa) {
  const kernels::Glu glu = glu_for(activation, isa);
  if (n == 0) return;
  const ByteRows out_row = check_array("out", "n", out, n);
  require_same_or_apart("gate", check_array("gate", "n", gate, n), "out", out_row);
  require_same_or_apart("up", check_array("up", "n", up, n), "out", out_row);
  const DefaultFloatingPoint mode;
  glu.kernel.forward(gate, up, out, n, glu.parameters);
}

void glu_rows(const Activation& activation, GateUpLayout layout, const float* gate_up, std::size_t gate_up_stride,
              float* out, std::size_t out_stride, std::size_t T, std::size_t d_ff, Isa isa) {
  if (layout != GateUpLayout::halves_gate_first && layout != GateUpLayout::halves_up_first) {
    throw InvalidArgument("layout = " + std::to_string(static_cast<int>(layout)) +
                          ": must be halves_gate_first or halves_up_first");
  }
  const kernels::Glu glu = glu_for(activation, isa);
  if (T == 0 || d_ff == 0) return;
  std::size_t width = 0;
  if (__builtin_mul_overflow(d_ff, std::size_t{2}, &width)) {
    throw InvalidArgument("d_ff = " + std::to_string(d_ff) + ": 2·d_ff overflows");
  }
  const ByteRows in_rows = check_rows({"gate_up", "gate_up_stride", "2·d_ff", gate_up, T, width, gate_up_stride});
  const ByteRows out_rows = check_rows({"out", "out_stride", "d_ff", out, T, d_ff, out_stride});
  const std::size_t half = out_rows.width;
  // A single row has no stride of its own (check_rows): its halves take theirs from out.
  const std::size_t half_stride = T == 1 ? half : in_rows.stride;
  require_same_or_apart("gate_up", {in_rows.begin, T, half, half_stride}, "out", out_rows);
  require_same_or_apart("gate_up", {in_rows.begin + half, T, half, half_stride}, "out", out_rows);

  const bool gate_first = layout == GateUpLayout::halves_gate_first;
  const DefaultFloatingPoint mode;
  for (std::size_t t = 0; t < T; ++t) {
    const float* first = gate_up + t * in_rows.stride_elements();
    const float* second = first + d_ff;
    glu.kernel.forward(gate_first ? first : second, gate_first ? second : first, out + t * out_rows.stride_elements(),
                       d_ff, glu.parameters);
  }
}

void glu_backward(const Activation& activation, const float* gate, const float* up, const float* d_hidden,
                  float* d_gate, float* d_up, std::size_t n, Isa isa) {
  const kernels::Glu glu = glu_for(activation, isa);
  if (n == 0) return;
  const ByteRows d_gate_row = check_array("d_gate", "n", d_gate, n);
  const ByteRows d_up_row = check_array("d_up", "n", d_up, n);
  if (rows_overlap(d_gate_row, d_up_row)) throw_overlap("d_gate", d_gate, "d_up", d_up);
  const std::pair<const char*, const float*> inputs[] = {{"gate", gate}, {"up", up}, {"d_hidden", d_hidden}};
  for (const auto& [name, data] : inputs) {
    const ByteRows in = check_array(name, "n", data, n);
    require_same_or_apart(name, in, "d_gate", d_gate_row);
    require_same_or_apart(name, in, "d_up", d_up_row);
  }
  const DefaultFloatingPoint mode;
  glu.kernel.backward(gate, up, d_hidden, d_gate, d_up, n, glu.parameters);
}

void silu(const float* g, float* out, std::size_t n, Isa isa) { map_array(Function::silu, "g", g, out, n, isa); }

void silu_mul(const float* gate, const float* up, float* out, std::size_t n, Isa isa) {
  glu(Activation(), gate, up, out, n, isa);
}

void silu_mul_rows(GateUpLayout layout, const float* gate_up, std::size_t gate_up_stride, float* out,
                   std::size_t out_stride, std::size_t T, std::size_t d_ff, Isa isa) {
  glu_rows(Activation(), layout, gate_up, gate_up_stride, out, out_stride, T, d_ff, isa);
}

}  // namespace swiglu
