#include "support/glu_arrays.hpp"

#include <cmath>
#include <limits>

#include "support/bits.hpp"
#include "support/random.hpp"

namespace swiglu::testing {
namespace {

std::vector<float> cut(const std::vector<float>& v, std::size_t begin, std::size_t n) {
  const auto first = v.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(n)};
}

}  // namespace

GluArrays GluArrays::slice(std::size_t begin, std::size_t n) const {
  return {cut(gate, begin, n), cut(up, begin, n), cut(d_hidden, begin, n)};
}

std::vector<float> special_values() {
  using Limits = std::numeric_limits<float>;
  std::vector<float> values = {Limits::quiet_NaN()};
  for (const float x : {0.0f,
                        Limits::infinity(),
                        Limits::max(),
                        Limits::min(),
                        Limits::denorm_min(),
                        1e-40f,
                        1e-20f,
                        0.5f,
                        1.0f,
                        1.2784645f,
                        7.0f,
                        10.0f,
                        15.0f,
                        25.0f,
                        88.7f,
                        91.8f,
                        103.9f,
                        110.0f,
                        1e4f,
                        1e20f}) {
    values.insert(values.end(), {x, -x});
  }
  return values;
}

GluArrays special_arrays() {
  const std::vector<float> values = special_values();
  GluArrays all;
  for (const float gate : values) {
    for (const float up : values) {
      all.gate.push_back(gate);
      all.up.push_back(up);
      all.d_hidden.push_back(values[all.size() % values.size()]);
    }
  }
  return all;
}

GluArrays ordinary_arrays(std::size_t n, std::uint64_t seed) {
  return {random_floats(n, seed, 5.0f), random_floats(n, seed + 1, 5.0f), random_floats(n, seed + 2)};
}

GluArrays arrays_of_all_exponents(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  const auto finite = [&] {
    while (true) {
      const float value = float_of(static_cast<std::uint32_t>(random.bits() >> 32));
      if (std::isfinite(value)) return value;
    }
  };
  GluArrays all;
  for (std::size_t i = 0; i < n; ++i) {
    all.gate.push_back(finite());
    all.up.push_back(finite());
    all.d_hidden.push_back(finite());
  }
  return all;
}

std::vector<float> glu_of(const Activation& activation, const GluArrays& in, Isa isa) {
  std::vector<float> out(in.size(), canary());
  glu(activation, in.gate.data(), in.up.data(), out.data(), in.size(), isa);
  return out;
}

GluGradients glu_backward_of(const Activation& activation, const GluArrays& in, Isa isa) {
  GluGradients out{std::vector<float>(in.size(), canary()), std::vector<float>(in.size(), canary())};
  glu_backward(activation, in.gate.data(), in.up.data(), in.d_hidden.data(), out.gate.data(), out.up.data(), in.size(),
               isa);
  return out;
}

}  // namespace swiglu::testing
