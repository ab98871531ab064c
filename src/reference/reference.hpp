#pragma once

// The definition of correct: the block's formula as plain loops in double, on the caller's matrices as they are. It
// shares no code with packing, driver or kernels, so no fault of theirs can hide in it.

#include <cstddef>
#include <vector>

#include "swiglu/activation.h"
#include "weight_views.hpp"

namespace swiglu::reference {

/// Everything between x and y, rows dense.
struct BlockResult {
  std::vector<double> gate;    // [T][d_ff]     pre-activation, x·Wg + bg
  std::vector<double> up;      // [T][d_ff]     x·Wu + bu
  std::vector<double> hidden;  // [T][d_ff]     act(gate)·v(up), see activation.hpp
  std::vector<double> y;       // [T][d_model]  hidden·Wd + bd
};

/// Computes T rows; row t of x starts at x + t·x_stride. No size may be kDense. A row's result does not depend on T.
BlockResult forward(const BlockWeights& weights, const Activation& activation, const float* x, std::size_t x_stride,
                    std::size_t T);

}  // namespace swiglu::reference
