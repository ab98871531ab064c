// The activations in double against numbers computed by hand or with 90 digits elsewhere, against each other, and their
// slopes against finite differences. certify/mpmath_test.py holds the same functions against mpmath.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference/activation.hpp"
#include "reference/reference.hpp"
#include "support/activations.hpp"
#include "support/random.hpp"

namespace swiglu::reference {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

::testing::AssertionResult near(double value, double expected, double relative = 4e-16) {
  if (std::fabs(value - expected) <= relative * std::fabs(expected)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << std::hexfloat << value << ", expected " << expected;
}

::testing::AssertionResult same(double a, double b) {
  if ((std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b))) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << a << " and " << b;
}

std::vector<double> points() {
  std::vector<double> all;
  for (double x = -40; x <= 40; x += 1.0 / 32) all.push_back(x);
  for (double x = 1e-40; x < 3e38; x *= 3) all.insert(all.end(), {x, -x});
  return all;
}

// From mpmath, with 90 digits.
TEST(ReferenceActivation, KnownValues) {
  EXPECT_TRUE(near(sigmoid(-50), 1.928749847963917783017e-22));
  EXPECT_TRUE(near(silu_slope(1), 0.9276705118714867317886));
  EXPECT_TRUE(near(silu_slope(-5), -0.02654743242966591901063));
  EXPECT_TRUE(near(gelu_tanh(1), 0.841191990608276704782));
  EXPECT_TRUE(near(gelu_tanh(-4), -0.00007024594819237268981813, 1e-14));
  EXPECT_TRUE(near(gelu_erf(1), 0.8413447460685429485852));
  EXPECT_TRUE(near(gelu_erf(-10), -7.619853024160526065973e-23, 1e-13));
  EXPECT_TRUE(near(gelu_quick(1), 0.8457957659328212957071));
  EXPECT_TRUE(near(gelu_erf_slope(1), 1.083315470587686298383));
  EXPECT_TRUE(near(gelu_tanh_slope(1), 1.08296408384578255514));
  EXPECT_TRUE(near(gelu_quick_slope(1), 1.067779606556334056567));
}

// The example of activations.md: clamping before or after silu differs by up to 6.4e-3 at L = 7.
TEST(ReferenceActivation, OrderOfTheClamps) {
  const Activation before = Activation::deepseek_v4(7), after = Activation::swiglu_step(7);
  EXPECT_TRUE(near(gate_factor(before, 100), 7 / (1 + std::exp(-7.0))));
  EXPECT_EQ(gate_factor(after, 100), 7);
  EXPECT_NEAR(gate_factor(after, 100) - gate_factor(before, 100), 6.4e-3, 5e-5);
  EXPECT_TRUE(near(gate_factor(after, 7), 7 / (1 + std::exp(-7.0)))) << "silu(7) is below 7";
  for (const Activation& a : {before, after}) {
    EXPECT_EQ(up_factor(a, 8), 7);
    EXPECT_EQ(up_factor(a, -8), -7);
    EXPECT_EQ(up_factor(a, 6.5), 6.5);
    EXPECT_EQ(gate_factor(a, -100), silu(-100)) << "the gate is not clamped from below";
  }
  const Activation gpt = Activation::gpt_oss(), minimax = Activation::minimax_m3();
  const double alpha = 1.702f;
  EXPECT_TRUE(near(gate_factor(gpt, 50), 7 / (1 + std::exp(-7 * alpha))));
  EXPECT_TRUE(near(gate_factor(minimax, 50), 7 / (1 + std::exp(-7 * alpha))));
  EXPECT_TRUE(near(gate_factor(gpt, -8), -8 / (1 + std::exp(8 * alpha))));
  EXPECT_TRUE(near(gate_factor(minimax, -8), -7 / (1 + std::exp(7 * alpha))));
  for (const Activation& a : {gpt, minimax}) {
    EXPECT_EQ(up_factor(a, 100), 8);
    EXPECT_EQ(up_factor(a, -100), -6);
    EXPECT_EQ(up_factor(a, -1), 0);
    EXPECT_TRUE(near(hidden(a, 2, 3), 2 / (1 + std::exp(-2 * alpha)) * 4));
  }
}

TEST(ReferenceActivation, ValuesByHand) {
  EXPECT_EQ(hidden(Preset::reglu, 3, -2), -6);
  EXPECT_TRUE(same(hidden(Preset::reglu, -3, 2), 0));
  EXPECT_EQ(hidden(Preset::relu2, 3, -2), -18);
  EXPECT_TRUE(same(hidden(Preset::relu2, -3, 2), 0));
  EXPECT_EQ(hidden(Preset::bilinear, 3, -2), -6);
  EXPECT_EQ(hidden(Preset::glu, 0, 5), 2.5);
  EXPECT_TRUE(near(hidden(Preset::swiglu, 1, 2), 1.4621171572600097585));
  EXPECT_TRUE(near(hidden(Activation::swiglu(2), 0.5, 2), 1.4621171572600097585)) << "m·g before silu";
  EXPECT_TRUE(near(hidden(Activation::swiglu_beta(2), 0.5, 2), 0.5 * 1.4621171572600097585));
  EXPECT_TRUE(near(hidden(Preset::situ, 4, 25), 4 * std::tanh(1.0) / (1 + std::exp(-4.0)) * 25 * std::tanh(1.0)));
}

// Bit for bit, at all points and at the special values.
TEST(ReferenceActivation, Identities) {
  std::vector<double> all = points();
  all.insert(all.end(), {0.0, -0.0, kInf, -kInf, kNaN});
  for (const double g : all) {
    ASSERT_TRUE(same(gate_factor(Activation::swiglu_beta(1), g), gate_factor(Preset::swiglu, g))) << g;
    ASSERT_TRUE(same(gate_slope(Activation::swiglu_beta(1), g), gate_slope(Preset::swiglu, g))) << g;
    ASSERT_TRUE(same(gate_factor(Activation::situ(-4, 25), g), gate_factor(Preset::situ, g))) << g;
    ASSERT_TRUE(same(up_factor(Activation::situ(4, -25), g), up_factor(Preset::situ, g))) << g;
    ASSERT_TRUE(same(gate_factor(Activation::swiglu_beta(-2), g), -gate_factor(Activation::swiglu_beta(2), -g))) << g;
    ASSERT_TRUE(same(gate_factor(Activation::swiglu(2), g / 2), gate_factor(Preset::swiglu, g))) << g;
    if (!(g > 10)) {
      ASSERT_TRUE(same(gate_factor(Preset::deepseek_v4, g), silu(g))) << g;
    }
    if (std::fabs(g) <= 7) {
      ASSERT_TRUE(same(gate_factor(Preset::gpt_oss, g), gate_factor(Preset::minimax_m3, g))) << g;
    }
  }
  for (const double x : points()) {
    ASSERT_TRUE(near(sigmoid(x) + sigmoid(-x), 1)) << x;
    ASSERT_NEAR(silu(x) - silu(-x), x, 1e-15 * std::fabs(x)) << x;
    ASSERT_NEAR(gelu_erf(x) - gelu_erf(-x), x, 1e-15 * std::fabs(x)) << x;
    ASSERT_NEAR(gelu_tanh(x) - gelu_tanh(-x), x, 1e-15 * std::fabs(x)) << x;
    ASSERT_NEAR(silu_slope(x) + silu_slope(-x), 1, 1e-15) << x;
    ASSERT_NEAR(gelu_erf_slope(x) + gelu_erf_slope(-x), 1, 1e-15) << x;
    ASSERT_NEAR(gelu_tanh_slope(x) + gelu_tanh_slope(-x), 1, 1e-15) << x;
  }
}

TEST(ReferenceActivation, LimitsAtInfinity) {
  struct Row {
    Activation activation;
    double minus, plus, slope_minus, slope_plus;
  };
  const double alpha = 1.702f, gpt = 7 / (1 + std::exp(-7 * alpha)), minimax = -7 / (1 + std::exp(7 * alpha));
  const double deepseek = 10 / (1 + std::exp(-10.0));
  const Row rows[] = {
      {Preset::swiglu, -0.0, kInf, -0.0, 1},
      {Activation::swiglu(-2), kInf, -0.0, -2, 0.0},
      {Activation::swiglu_beta(-2), -kInf, 0.0, 1, -0.0},
      {Preset::gpt_oss, -0.0, gpt, -0.0, 0},
      {Preset::minimax_m3, minimax, gpt, 0, 0},
      {Preset::deepseek_v4, -0.0, deepseek, -0.0, 0},
      {Preset::swiglu_step, -0.0, 7, -0.0, 0},
      {Preset::situ, -0.0, 4, -0.0, 0},
      {Preset::geglu_tanh, -0.0, kInf, -0.0, 1},
      {Preset::geglu_erf, -0.0, kInf, -0.0, 1},
      {Preset::geglu_quick, -0.0, kInf, -0.0, 1},
      {Preset::reglu, 0, kInf, 0, 1},
      {Preset::relu2, 0, kInf, 0, kInf},
      {Preset::glu, 0, 1, 0, 0},
      {Preset::bilinear, -kInf, kInf, 1, 1},
  };
  for (const Row& row : rows) {
    const std::string name = to_string(row.activation);
    EXPECT_TRUE(same(gate_factor(row.activation, -kInf), row.minus)) << name;
    EXPECT_TRUE(same(gate_factor(row.activation, kInf), row.plus)) << name;
    EXPECT_TRUE(same(gate_slope(row.activation, -kInf), row.slope_minus)) << name;
    EXPECT_TRUE(same(gate_slope(row.activation, kInf), row.slope_plus)) << name;
    // The largest floats already behave like the limits: no overflow on the way, no ∞·0.
    for (const double g : {-3e38, 3e38, -1e4, 1e4}) {
      EXPECT_FALSE(std::isnan(gate_factor(row.activation, g))) << name << " at " << g;
      EXPECT_FALSE(std::isnan(gate_slope(row.activation, g))) << name << " at " << g;
      EXPECT_TRUE(std::isfinite(gate_factor(row.activation, g))) << name << " at " << g;
    }
  }
}

TEST(ReferenceActivation, NaNStaysNaN) {
  for (const Activation& a : swiglu::testing::typical_activations()) {
    EXPECT_TRUE(std::isnan(gate_factor(a, kNaN))) << to_string(a);
    EXPECT_TRUE(std::isnan(up_factor(a, kNaN))) << to_string(a);
    EXPECT_TRUE(std::isnan(hidden(a, kNaN, 1)) && std::isnan(hidden(a, 1, kNaN))) << to_string(a);
    EXPECT_EQ(std::isnan(gate_slope(a, kNaN)), a.preset != Preset::bilinear) << to_string(a);
  }
  EXPECT_TRUE(std::isnan(hidden(Preset::swiglu, -kInf, kInf))) << "0·∞ of the product is IEEE's";
}

TEST(ReferenceActivation, SignedZeros) {
  for (const Activation& a : swiglu::testing::typical_activations()) {
    if (a.preset == Preset::glu) continue;  // ½
    EXPECT_TRUE(same(gate_factor(a, 0.0), a.multiplier < 0 ? -0.0 : 0.0)) << to_string(a);
    const bool positive = a.preset == Preset::reglu || a.preset == Preset::relu2 || a.multiplier < 0;
    EXPECT_TRUE(same(gate_factor(a, -0.0), positive ? 0.0 : -0.0)) << to_string(a);
  }
}

// PyTorch's conventions.
TEST(ReferenceActivation, SlopesAtKinks) {
  EXPECT_TRUE(same(gate_slope(Preset::reglu, 0), 0));
  EXPECT_TRUE(same(gate_slope(Preset::relu2, 0), 0));
  const double above = std::nextafter(7.0, 8.0);
  EXPECT_EQ(gate_slope(Preset::gpt_oss, 7), silu_slope(7 * static_cast<double>(1.702f)));
  EXPECT_EQ(gate_slope(Preset::gpt_oss, above), 0);
  EXPECT_EQ(gate_slope(Preset::minimax_m3, -7), silu_slope(-7 * static_cast<double>(1.702f)));
  EXPECT_EQ(gate_slope(Preset::minimax_m3, -above), 0);
  EXPECT_NE(gate_slope(Preset::gpt_oss, -above), 0);
  EXPECT_EQ(gate_slope(Preset::deepseek_v4, 10), silu_slope(10));
  EXPECT_EQ(gate_slope(Preset::deepseek_v4, std::nextafter(10.0, 11.0)), 0);
  ASSERT_EQ(silu(64), 64);  // e^-64 is beyond the last bit
  EXPECT_EQ(gate_slope(Activation::swiglu_step(64), 64), 1);
  EXPECT_EQ(gate_slope(Activation::swiglu_step(64), std::nextafter(64.0, 65.0)), 0);
  for (const Preset preset : {Preset::gpt_oss, Preset::minimax_m3, Preset::swiglu_step}) {
    EXPECT_EQ(up_slope(preset, 7), 1);
    EXPECT_EQ(up_slope(preset, -7), 1);
    EXPECT_EQ(up_slope(preset, above), 0);
    EXPECT_EQ(up_slope(preset, -above), 0);
  }
}

/// Where a slope jumps: a difference quotient must not reach across.
std::vector<double> kinks(const Activation& a) {
  switch (a.preset) {
    case Preset::reglu:
    case Preset::relu2:
      return {0};
    case Preset::swiglu_step: {  // silu(g) = L by bisection
      double low = 0, high = 2.0 * a.limit + 2;
      for (int i = 0; i < 200; ++i) (silu((low + high) / 2) < a.limit ? low : high) = (low + high) / 2;
      return {low, -static_cast<double>(a.limit), a.limit};
    }
    default:
      return {-static_cast<double>(a.limit), a.limit};
  }
}

// Central differences of fourth order: (8·(f(x+h) − f(x−h)) − (f(x+2h) − f(x−2h))) / 12h.
TEST(ReferenceActivation, SlopesAreTheDerivatives) {
  for (const Activation& a : swiglu::testing::typical_activations()) {
    for (double x = -30; x <= 30; x += 1.0 / 64 + 1e-5) {
      const double h = 1e-3;
      bool across = false;
      for (const double kink : kinks(a)) across = across || std::fabs(x - kink) <= 2 * h;
      if (across) continue;
      const auto quotient = [&](double (*f)(const Activation&, double)) {
        return (8 * (f(a, x + h) - f(a, x - h)) - (f(a, x + 2 * h) - f(a, x - 2 * h))) / (12 * h);
      };
      // h^4·f⁽⁵⁾/30: at most some 1e-9 for the steepest parameters; rounding: 2^-52·|f|/h.
      ASSERT_NEAR(gate_slope(a, x), quotient(gate_factor), 2e-9 + 1e-12 * std::fabs(gate_factor(a, x)))
          << to_string(a) << " at " << x;
      ASSERT_NEAR(up_slope(a, x), quotient(up_factor), 2e-9 + 1e-12 * std::fabs(x)) << to_string(a) << " at " << x;
    }
  }
}

TEST(ReferenceActivation, BackwardIsTheChainRule) {
  swiglu::testing::Random random(3);
  for (const Activation& a : swiglu::testing::typical_activations()) {
    for (int i = 0; i < 200; ++i) {
      const double g = random.normal(4), u = random.normal(4), d = random.normal(1);
      const Gradient gradient = backward(a, g, u, d);
      EXPECT_TRUE(near(gradient.gate, d * gate_slope(a, g) * up_factor(a, u)));
      EXPECT_TRUE(near(gradient.up, d * gate_factor(a, g) * up_slope(a, u)));
    }
  }
  const Gradient textbook = backward(Preset::swiglu, 1, 2, 3);
  EXPECT_TRUE(near(textbook.gate, 6 * 0.9276705118714867317886));
  EXPECT_TRUE(near(textbook.up, 3 * 0.73105857863000487925));
}

// Next to the zero of silu' all digits are right: 1 + x·σ(-x) alone would leave 8 of 16.
TEST(ReferenceActivation, SiluSlopeIsExactNextToItsZero) {
  EXPECT_TRUE(near(silu_slope(-0x1.474974p+0), -2.82703966835543666902e-9));
  EXPECT_TRUE(near(silu_slope(0), 0.5));
  const double x0 = -0x1.474973c84120bp+0;
  EXPECT_LT(std::fabs(silu_slope(x0)), 1e-16);
  EXPECT_GT(std::fabs(silu_slope(x0)), 1e-18) << "x0 is not a double";
  EXPECT_GT(silu_slope(std::nextafter(x0, 0)), 0);
  EXPECT_LT(silu_slope(std::nextafter(x0, -2)), 0);
}

// The worked example of activations.md is swiglu's; these are its sums with relu, by hand.
TEST(ReferenceBlockActivation, TextbookWithRelu) {
  const std::vector<float> x = {1, 0, -1, 2};
  const std::vector<float> gate = {1, 0, 0.5f, 0.5f, 1, 0, 0, 1, -0.5f, 0, 0, 0.5f};
  const std::vector<float> up = {1, 0.5f, 0, 0, 1, 0.5f, -0.5f, 0, -0.25f, 0.25f, 0.25f, 0.125f};
  const std::vector<float> down = {1, 0, 0.5f, 0, 0, 1, 0, -0.5f, 0.5f, 0, 1, 1};
  const BlockWeights weights = resolve_weights(
      4, 3, Weights::separate({gate.data(), Order::in_out}, {up.data(), Order::in_out}, {down.data(), Order::in_out}));
  const BlockResult result = forward(weights, Preset::reglu, x.data(), 4, 1);
  EXPECT_EQ(result.hidden, (std::vector<double>{2, 0, 1}));
  EXPECT_EQ(result.y, (std::vector<double>{2.5, 0, 2, 1}));
  EXPECT_EQ(forward(weights, Preset::bilinear, x.data(), 4, 1).hidden, (std::vector<double>{2, -1, 1}));
}

}  // namespace
}  // namespace swiglu::reference
