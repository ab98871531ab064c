#include "source_weights.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace swiglu::bench {
namespace {

constexpr std::size_t kBlockFloats = 1000003;

/// Uniform in ±√3·scale, that is with standard deviation `scale`.
std::vector<float> random_block(std::size_t n, double scale, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<float> uniform(static_cast<float>(-1.7320508 * scale),
                                                static_cast<float>(1.7320508 * scale));
  std::vector<float> block(n);
  for (auto& value : block) value = uniform(generator);
  return block;
}

std::vector<float> repeated(std::size_t n, double scale, std::uint64_t seed) {
  std::vector<float> values = random_block(std::min(n, kBlockFloats), scale, seed);
  const std::size_t block = values.size();
  values.resize(n);
  for (std::size_t at = block; at < n; at += block) {
    std::copy_n(values.begin(), std::min(block, n - at), values.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return values;
}

}  // namespace

// Scales keep gate, up and hidden of order 1 for every shape, as in a trained block.
SourceWeights::SourceWeights(std::size_t d_model, std::size_t d_ff, std::uint64_t seed)
    : gate_(repeated(d_model * d_ff, 1 / std::sqrt(static_cast<double>(d_model)), 3 * seed)),
      up_(repeated(d_model * d_ff, 1 / std::sqrt(static_cast<double>(d_model)), 3 * seed + 1)),
      down_(repeated(d_model * d_ff, 1 / std::sqrt(static_cast<double>(d_ff)), 3 * seed + 2)) {}

Weights SourceWeights::view() const {
  const auto matrix = [](const std::vector<float>& values) { return MatrixView{values.data(), Order::out_in, kDense}; };
  return Weights::separate(matrix(gate_), matrix(up_), matrix(down_));
}

std::vector<float> random_rows(std::size_t T, std::size_t d_model, std::uint64_t seed) {
  const std::vector<float> rows = random_block(kDistinctRows * d_model, 1, seed ^ 0x9e3779b97f4a7c15u);
  std::vector<float> x(T * d_model);
  for (std::size_t t = 0; t < T; ++t) {
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(t % kDistinctRows * d_model), d_model,
                x.begin() + static_cast<std::ptrdiff_t>(t * d_model));
  }
  return x;
}

}  // namespace swiglu::bench
