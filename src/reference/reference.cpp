#include "reference/reference.hpp"

#include "reference/activation.hpp"

namespace swiglu::reference {
namespace {

/// [units][T] = bias + W·in for in [k][T]. Rows are innermost: T independent chains per weight keep this loop usable
/// for tests without changing any chain (bias first, then k ascending).
std::vector<double> project(const StridedMatrix& weights, const StridedVector& bias, std::size_t units, std::size_t k,
                            const std::vector<double>& in, std::size_t T) {
  std::vector<double> out(units * T);
  for (std::size_t o = 0; o < units; ++o) {
    double* sums = out.data() + o * T;
    for (std::size_t t = 0; t < T; ++t) sums[t] = bias.value_or_zero(o);
    for (std::size_t i = 0; i < k; ++i) {
      const double weight = *weights.at(o, i);
      for (std::size_t t = 0; t < T; ++t) sums[t] += in[i * T + t] * weight;
    }
  }
  return out;
}

std::vector<double> transposed(const std::vector<double>& matrix, std::size_t rows, std::size_t columns) {
  std::vector<double> out(matrix.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) out[c * rows + r] = matrix[r * columns + c];
  }
  return out;
}

}  // namespace

BlockResult forward(const BlockWeights& weights, const Activation& activation, const float* x, std::size_t x_stride,
                    std::size_t T) {
  const std::size_t d_model = weights.d_model;
  const std::size_t d_ff = weights.d_ff;
  std::vector<double> in(d_model * T);
  for (std::size_t q = 0; q < d_model; ++q) {
    for (std::size_t t = 0; t < T; ++t) in[q * T + t] = x[t * x_stride + q];
  }

  const std::vector<double> gate = project(weights.gate, weights.gate_bias, d_ff, d_model, in, T);
  const std::vector<double> up = project(weights.up, weights.up_bias, d_ff, d_model, in, T);
  std::vector<double> hidden(d_ff * T);
  for (std::size_t i = 0; i < hidden.size(); ++i) hidden[i] = reference::hidden(activation, gate[i], up[i]);
  const std::vector<double> y = project(weights.down, weights.down_bias, d_model, d_ff, hidden, T);

  return {transposed(gate, d_ff, T), transposed(up, d_ff, T), transposed(hidden, d_ff, T), transposed(y, d_model, T)};
}

}  // namespace swiglu::reference
