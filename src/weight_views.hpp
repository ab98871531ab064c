#pragma once

// All layouts of the public API become these views: a matrix is out_stride and in_stride, nothing else. That is why
// every layout of the same weights packs to the same bytes.

#include <cstddef>

#include "swiglu/weights.h"

namespace swiglu {

struct StridedMatrix {
  const float* data = nullptr;
  std::size_t out_stride = 0;  // elements from one output unit to the next
  std::size_t in_stride = 0;   // elements from one input unit to the next

  const float* at(std::size_t out, std::size_t in) const { return data + out * out_stride + in * in_stride; }
};

struct StridedVector {
  const float* data = nullptr;  // null = no bias
  std::size_t stride = 1;

  float value_or_zero(std::size_t i) const { return data == nullptr ? 0.0f : data[i * stride]; }
};

struct BlockWeights {
  std::size_t d_model = 0;
  std::size_t d_ff = 0;
  StridedMatrix gate, up;  // out = d_ff, in = d_model
  StridedMatrix down;      // out = d_model, in = d_ff
  StridedVector gate_bias, up_bias, down_bias;
};

/// Validates `weights` against the sizes and resolves layouts, orders and strides. Throws InvalidArgument.
BlockWeights resolve_weights(std::size_t d_model, std::size_t d_ff, const Weights& weights);

}  // namespace swiglu
