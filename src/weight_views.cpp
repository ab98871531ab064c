#include "weight_views.hpp"

#include <string>

#include "swiglu/error.h"
#include "validate.hpp"

namespace swiglu {
namespace {

/// No size that a backend derives from the weights may overflow, not even with the matrices padded to whole panels.
void check_sizes(std::size_t d_model, std::size_t d_ff) {
  if (d_model == 0) throw InvalidArgument("d_model = 0: must be at least 1");
  if (d_ff == 0) throw InvalidArgument("d_ff = 0: must be at least 1");
  constexpr std::size_t kPadding = 33;  // a panel's columns and its bias row
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t bytes = 0;
  const bool overflow =
      __builtin_add_overflow(d_model, kPadding, &rows) || __builtin_add_overflow(d_ff, kPadding, &columns) ||
      __builtin_mul_overflow(rows, columns, &bytes) || __builtin_mul_overflow(bytes, 3 * sizeof(float), &bytes);
  if (overflow || bytes > static_cast<std::size_t>(PTRDIFF_MAX)) {
    throw InvalidArgument("d_model = " + std::to_string(d_model) + ", d_ff = " + std::to_string(d_ff) +
                          ": 3·d_model·d_ff f32 weights exceed the address space");
  }
}

struct MatrixArgument {
  const char* name;
  const char* stride_name;
  const char* out_name;
  std::size_t out;
  const char* in_name;
  std::size_t in;
};

StridedMatrix resolve_matrix(const MatrixArgument& argument, const MatrixView& view) {
  const auto& [name, stride_name, out_name, out, in_name, in] = argument;
  switch (view.order) {
    case Order::out_in: {
      const ByteRows rows = check_rows({name, stride_name, in_name, view.data, out, in, view.stride});
      return {view.data, rows.stride_elements(), 1};
    }
    case Order::in_out: {
      const ByteRows rows = check_rows({name, stride_name, out_name, view.data, in, out, view.stride});
      return {view.data, 1, rows.stride_elements()};
    }
  }
  throw InvalidArgument(std::string(name) + ": order = " + std::to_string(static_cast<int>(view.order)) +
                        ", must be Order::out_in or Order::in_out");
}

StridedVector resolve_bias(const char* name, const char* size_name, const float* data, std::size_t size) {
  if (data != nullptr) check_array(name, size_name, data, size);
  return {data, 1};
}

void require_unset(bool set, const char* name, const char* why) {
  if (set) throw InvalidArgument(std::string(name) + " is set although " + why);
}

/// Where gate unit 0 and up unit 0 are among the 2·d_ff fused units, and the distance between units of one kind.
struct FusedUnits {
  std::size_t gate, up, step;
};

FusedUnits fused_units(GateUpLayout layout, std::size_t d_ff) {
  switch (layout) {
    case GateUpLayout::halves_gate_first:
      return {0, d_ff, 1};
    case GateUpLayout::halves_up_first:
      return {d_ff, 0, 1};
    case GateUpLayout::interleaved:
      return {0, 1, 2};
  }
  throw InvalidArgument("weights.gate_up_layout = " + std::to_string(static_cast<int>(layout)) +
                        ": must be halves_gate_first, halves_up_first or interleaved");
}

void resolve_fused(const Weights& weights, BlockWeights& block) {
  require_unset(weights.gate.data != nullptr, "weights.gate", "weights.fused = true takes it from weights.gate_up");
  require_unset(weights.up.data != nullptr, "weights.up", "weights.fused = true takes it from weights.gate_up");
  const auto [gate, up, step] = fused_units(weights.gate_up_layout, block.d_ff);

  const StridedMatrix both =
      resolve_matrix({"weights.gate_up", "weights.gate_up.stride", "2·d_ff", 2 * block.d_ff, "d_model", block.d_model},
                     weights.gate_up);
  block.gate = {both.at(gate, 0), both.out_stride * step, both.in_stride};
  block.up = {both.at(up, 0), both.out_stride * step, both.in_stride};

  if (weights.gate_up_bias != nullptr) {
    const char* why = "weights.gate_up_bias holds both biases";
    require_unset(weights.gate_bias != nullptr, "weights.gate_bias", why);
    require_unset(weights.up_bias != nullptr, "weights.up_bias", why);
    check_array("weights.gate_up_bias", "2·d_ff", weights.gate_up_bias, 2 * block.d_ff);
    block.gate_bias = {weights.gate_up_bias + gate, step};
    block.up_bias = {weights.gate_up_bias + up, step};
  }
}

void resolve_separate(const Weights& weights, BlockWeights& block) {
  require_unset(weights.gate_up.data != nullptr, "weights.gate_up", "weights.fused = false");
  require_unset(weights.gate_up_bias != nullptr, "weights.gate_up_bias", "weights.fused = false");
  block.gate = resolve_matrix({"weights.gate", "weights.gate.stride", "d_ff", block.d_ff, "d_model", block.d_model},
                              weights.gate);
  block.up =
      resolve_matrix({"weights.up", "weights.up.stride", "d_ff", block.d_ff, "d_model", block.d_model}, weights.up);
}

}  // namespace

BlockWeights resolve_weights(std::size_t d_model, std::size_t d_ff, const Weights& weights) {
  check_sizes(d_model, d_ff);
  BlockWeights block;
  block.d_model = d_model;
  block.d_ff = d_ff;
  block.gate_bias = resolve_bias("weights.gate_bias", "d_ff", weights.gate_bias, d_ff);
  block.up_bias = resolve_bias("weights.up_bias", "d_ff", weights.up_bias, d_ff);
  block.down_bias = resolve_bias("weights.down_bias", "d_model", weights.down_bias, d_model);
  if (weights.fused) {
    resolve_fused(weights, block);
  } else {
    resolve_separate(weights, block);
  }
  block.down = resolve_matrix({"weights.down", "weights.down.stride", "d_model", d_model, "d_ff", d_ff}, weights.down);
  return block;
}

}  // namespace swiglu
