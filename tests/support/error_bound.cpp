#include "support/error_bound.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>

#include "reference/activation.hpp"
#include "support/slope_bound.hpp"

namespace swiglu::testing {
namespace {

constexpr double kUnit = 0x1p-24;
constexpr double kTiny = 0x1p-149;

struct Dot {
  double value;
  double absolute;  // the same sum of absolute values
};

template <class X>
Dot dot(const X* x, const float* w, std::size_t k, double bias) {
  Dot sum{bias, std::fabs(bias)};
  for (std::size_t q = 0; q < k; ++q) {
    const double product = static_cast<double>(x[q]) * static_cast<double>(w[q]);
    sum.value += product;
    sum.absolute += std::fabs(product);
  }
  return sum;
}

/// One factor of the activation with the bound of its error.
struct Factor {
  double value;
  double bound;
};

struct Slopes {
  explicit Slopes(const Activation& a) : activation(a), gate(a, reference::gate_slope), up(a, reference::up_slope) {}
  Activation activation;
  SlopeBound gate, up;
};

/// They take a millisecond to make, and some tests ask thousands of times, from several threads.
const Slopes& slopes_of(const Activation& activation) {
  static std::mutex mutex;
  static std::deque<Slopes> all;
  const std::lock_guard<std::mutex> lock(mutex);
  for (const Slopes& slopes : all) {
    if (slopes.activation == activation) return slopes;
  }
  return all.emplace_back(activation);
}

/// Steps 2 and 3.
Factor factor(double value, const SlopeBound& slope, double argument, double argument_bound, double ulp) {
  const double moved =
      argument_bound == 0 ? 0 : slope.over(argument - argument_bound, argument + argument_bound) * argument_bound;
  return {value, moved + 2 * kUnit * ulp * (std::fabs(value) + moved) + kTiny * ulp};
}

/// Whether the up value's factor is a float of its own accord: the value itself, or a clamp of it.
bool up_factor_is_exact(Preset preset) {
  return preset != Preset::gpt_oss && preset != Preset::minimax_m3 && preset != Preset::situ;
}

double bias_at(const std::vector<float>& bias, std::size_t i) { return bias.empty() ? 0.0 : bias[i]; }

}  // namespace

double gamma(std::size_t n) { return static_cast<double>(n) * kUnit / (1.0 - static_cast<double>(n) * kUnit); }

double dot_bound(std::size_t k, double absolute_sum) {
  return gamma(k + 1) * absolute_sum + static_cast<double>(k + 1) * kTiny;
}

double exact_silu(double g) {
  if (std::isinf(g)) return g > 0 ? g : -0.0;
  return g / (1.0 + std::exp(-g));
}

Expected expected_block(const BlockCase& block, const std::vector<float>& x, std::size_t T,
                        const std::vector<float>* y0, const Promise& promise) {
  const Activation& act = promise.activation;
  const Slopes& slopes = slopes_of(act);
  const double up_ulp = up_factor_is_exact(act.preset) ? 0 : promise.ulp;
  const std::size_t d = block.d_model, h = block.d_ff;
  Expected result{d, std::vector<double>(T * d), std::vector<double>(T * d)};
  std::vector<double> hidden(h), hidden_bound(h);
  for (std::size_t t = 0; t < T; ++t) {
    const float* row = x.data() + t * d;
    for (std::size_t j = 0; j < h; ++j) {
      const Dot gate = dot(row, &block.gate[j * d], d, bias_at(block.gate_bias, j));
      const Dot up = dot(row, &block.up[j * d], d, bias_at(block.up_bias, j));
      const Factor a = factor(reference::gate_factor(act, gate.value), slopes.gate, gate.value,
                              dot_bound(d, gate.absolute), promise.ulp);
      const Factor v =
          factor(reference::up_factor(act, up.value), slopes.up, up.value, dot_bound(d, up.absolute), up_ulp);
      hidden[j] = a.value * v.value;
      hidden_bound[j] = (1 + kUnit) * (a.bound * (std::fabs(v.value) + v.bound) + std::fabs(a.value) * v.bound) +
                        kUnit * std::fabs(hidden[j]) + kTiny;
    }
    for (std::size_t i = 0; i < d; ++i) {
      const float* w = &block.down[i * h];
      const Dot sum = dot(hidden.data(), w, h, bias_at(block.down_bias, i));
      const double inherited = dot(hidden_bound.data(), w, h, 0.0).absolute;
      double y = sum.value;
      double bound = dot_bound(h, sum.absolute + inherited) + inherited;
      if (y0 != nullptr) {
        const double before = (*y0)[t * d + i];
        bound += kUnit * (std::fabs(before) + std::fabs(y) + bound) + kTiny;
        y += before;
      }
      result.y[t * d + i] = y;
      result.bound[t * d + i] = bound;
    }
  }
  return result;
}

::testing::AssertionResult within_bound(const Expected& expected, const float* y, std::size_t stride, double* largest) {
  double worst = 0;
  for (std::size_t n = 0; n < expected.y.size(); ++n) {
    const std::size_t row = n / expected.width, column = n % expected.width;
    const double error = std::fabs(static_cast<double>(y[row * stride + column]) - expected.y[n]);
    if (!(error <= expected.bound[n])) {  // so that NaN fails
      return ::testing::AssertionFailure()
             << "row " << row << ", column " << column << ": " << y[row * stride + column] << ", exactly "
             << expected.y[n] << ", error " << error << " above the bound " << expected.bound[n];
    }
    worst = std::max(worst, error / expected.bound[n]);
  }
  if (largest != nullptr) *largest = worst;
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult within_bound(const Expected& expected, const std::vector<float>& y, double* largest) {
  if (y.size() != expected.y.size()) return ::testing::AssertionFailure() << "wrong size " << y.size();
  return within_bound(expected, y.data(), expected.width, largest);
}

}  // namespace swiglu::testing
