#pragma once

// Arrays for the elementwise functions of the GLU family, and their calls in vector form.

#include <swiglu/elementwise.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace swiglu::testing {

/// Inputs of one elementwise call.
struct GluArrays {
  std::vector<float> gate, up, d_hidden;

  std::size_t size() const { return gate.size(); }
  GluArrays slice(std::size_t begin, std::size_t n) const;
};

/// ±0, ±∞, NaN, ±FLT_MAX, subnormals, and where the presets have their kinks.
std::vector<float> special_values();

/// Every combination of a gate and an up value among the special ones, d_hidden in turns.
GluArrays special_arrays();

/// What layers see: gates and ups of some units, gradients around 1; no NaN, no infinity.
GluArrays ordinary_arrays(std::size_t n, std::uint64_t seed);

/// Floats of all exponents and signs, subnormals too, finite, in all three arrays independently.
GluArrays arrays_of_all_exponents(std::size_t n, std::uint64_t seed);

std::vector<float> glu_of(const Activation& activation, const GluArrays& in, Isa isa);

struct GluGradients {
  std::vector<float> gate, up;
};
GluGradients glu_backward_of(const Activation& activation, const GluArrays& in, Isa isa);

}  // namespace swiglu::testing
