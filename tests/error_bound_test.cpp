// The a-priori error bound (support/error_bound.hpp): random and adversarial blocks stay below it for every preset, and
// those that are made for it come near: to 0.99 of it with 2^16 terms.

#include "support/error_bound.hpp"

#include <gtest/gtest.h>
#include <swiglu/swiglu.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "reference/activation.hpp"
#include "support/block_case.hpp"
#include "support/isa_param.hpp"
#include "support/random.hpp"
#include "support/slope_bound.hpp"

namespace swiglu::testing {
namespace {

SlopeBound gate_slope(const Activation& a) { return {a, reference::gate_slope}; }

float rounded_gate_factor(const Activation& a, float g) { return static_cast<float>(reference::gate_factor(a, g)); }
float rounded_up_factor(const Activation& a, float u) { return static_cast<float>(reference::up_factor(a, u)); }

constexpr float kHalfUlpOfOne = 0x1p-24f * (1 + 0x1p-22f);  // a little more: adding it to [1, 2) always rounds up

/// A block and the rows that go through it.
struct Case {
  std::string name;
  BlockCase block;
  std::vector<float> x;
  std::size_t T;
  bool close;  ///< made to come within 100× of the bound, for every preset
};

Case random_case(std::size_t d, std::size_t h) {
  return {"random " + std::to_string(d) + "/" + std::to_string(h), random_block(d, h), random_floats(4 * d, d), 4,
          d <= 16};
}

// 2^18 terms; errors of both signs average out, so the bound is far away.
Case huge_random() {
  const std::size_t d = std::size_t{1} << 18;
  return {"random, 2^18 terms", random_block(d, 2), random_floats(d, 7), 1, false};
}

// Terms in pairs that cancel but for 2^-9 of them: |g| is far below Σ|x||w|.
Case random_cancellation() {
  BlockCase block = random_block(64, 32);
  for (auto* w : {&block.gate, &block.up, &block.down}) {
    for (std::size_t i = 0; i + 1 < w->size(); i += 2) (*w)[i + 1] = -(*w)[i] * (1 + 0x1p-9f);
  }
  std::vector<float> x = random_floats(4 * 64, 5, 20.0f);
  for (std::size_t i = 0; i + 1 < x.size(); i += 2) x[i + 1] = x[i];
  return {"random cancellation", block, x, 4, false};
}

// One feature thousands of times as large as the rest, as in late layers of real models.
Case random_outlier() {
  std::vector<float> x = random_floats(4 * 128, 6);
  for (std::size_t t = 0; t < 4; ++t) x[t * 128 + 7] = t % 2 == 0 ? 20000.0f : -20000.0f;
  return {"random outlier", random_block(128, 256), x, 4, false};
}

// Every addition of gate and up rounds in the same direction: k errors of one unit each, as the bound has it.
Case drift(std::size_t k) {
  BlockCase block = random_block(k, 3, kNoBias);
  block.gate.assign(3 * k, kHalfUlpOfOne);
  block.up = block.gate;
  block.gate_bias.assign(3, 1.0f);
  block.up_bias.assign(3, 1.0f);
  for (float& w : block.down) w = std::fabs(w);
  return {"drift, " + std::to_string(k) + " terms", block, std::vector<float>(k, 1.0f), 1, true};
}

// The same, and then the gate's last term takes away the 1: half of what is left is error.
Case cancellation(std::size_t k) {
  Case c = drift(k);
  c.name = "drift, then cancellation, " + std::to_string(k) + " terms";
  for (std::size_t unit = 1; unit <= 3; ++unit) c.block.gate[unit * k - 1] = -1.0f;
  return c;
}

// The same with 1 as the product of an outlier and a small weight.
Case outlier(std::size_t k) {
  Case c = drift(k);
  c.name = "outlier, then drift, " + std::to_string(k) + " terms";
  c.block.gate_bias.clear();
  c.block.up_bias.clear();
  c.x[0] = 0x1p14f;
  for (std::size_t unit = 0; unit < 3; ++unit) c.block.gate[unit * k] = c.block.up[unit * k] = 0x1p-14f;
  return c;
}

// Drift in the down sum. `hidden`: the value of all hidden units, for gate 1 and up 1.
Case drift_down(std::size_t k, double hidden) {
  BlockCase block = random_block(1, k, kNoBias);
  block.gate.assign(k, 1.0f);
  block.up.assign(k, 1.0f);
  block.down.assign(k, static_cast<float>(kHalfUlpOfOne / hidden * (1 + 0x1p-20)));
  block.down_bias.assign(1, 1.0f);
  return {"drift, down, " + std::to_string(k) + " terms", block, {1.0f}, 1, true};
}

// Gates around the clamps of the presets, and deep in the tail, where silu's relative error is |g| times that of g.
Case gates_around(float gate) {
  BlockCase block = random_block(32, 48, kNoBias);
  block.gate_bias.assign(48, gate);
  for (float& w : block.gate) w *= 0.01f;
  return {"gates around " + std::to_string(static_cast<int>(gate)), block, random_floats(4 * 32, 8), 4, false};
}

// Results in and below the subnormal range, where roundings have absolute errors.
Case subnormal() {
  BlockCase block = random_block(16, 16, kNoBias);
  for (float& w : block.up) w *= 1e-38f;
  return {"subnormal", block, random_floats(4 * 16, 9), 4, false};
}

/// An honest f32 evaluation of any preset, in the order of the library's kernels: one chain of fused multiply-adds per
/// sum, one rounding for each factor, one for their product.
std::vector<float> model(const Case& c, const Activation& activation) {
  const BlockCase& b = c.block;
  const auto sum = [](const float* x, const float* w, std::size_t k, float bias) {
    for (std::size_t q = 0; q < k; ++q) bias = std::fma(x[q], w[q], bias);
    return bias;
  };
  const auto at = [](const std::vector<float>& bias, std::size_t i) { return bias.empty() ? 0.0f : bias[i]; };
  std::vector<float> y;
  for (std::size_t t = 0; t < c.T; ++t) {
    const float* x = &c.x[t * b.d_model];
    std::vector<float> hidden;
    for (std::size_t j = 0; j < b.d_ff; ++j) {
      const float gate = sum(x, &b.gate[j * b.d_model], b.d_model, at(b.gate_bias, j));
      const float up = sum(x, &b.up[j * b.d_model], b.d_model, at(b.up_bias, j));
      hidden.push_back(rounded_gate_factor(activation, gate) * rounded_up_factor(activation, up));
    }
    for (std::size_t i = 0; i < b.d_model; ++i) {
      y.push_back(sum(hidden.data(), &b.down[i * b.d_ff], b.d_ff, at(b.down_bias, i)));
    }
  }
  return y;
}

std::vector<Case> cases(const Activation& activation) {
  const double hidden =
      static_cast<double>(rounded_gate_factor(activation, 1.0f)) * rounded_up_factor(activation, 1.0f);
  constexpr std::size_t kMany = std::size_t{1} << 16;
  return {random_case(4, 8),
          random_case(16, 32),
          random_case(512, 100),
          huge_random(),
          random_cancellation(),
          random_outlier(),
          drift(64),
          drift(kMany),
          cancellation(64),
          cancellation(kMany),
          outlier(64),
          outlier(kMany),
          drift_down(64, hidden),
          drift_down(kMany, hidden),
          gates_around(7),
          gates_around(10),
          gates_around(-7),
          gates_around(-60),
          subnormal()};
}

std::vector<Activation> activations() {
  std::vector<Activation> all;
  for (const Preset preset : all_presets()) all.emplace_back(preset);
  all.insert(all.end(), {Activation::swiglu(-3.0f), Activation::swiglu_beta(0.1f), Activation::minimax_m3(5.0f, 1.5f),
                         Activation::swiglu_step(0.25f), Activation::situ(0.5f, 2.0f)});
  return all;
}

void expect_close_to_bound(const Activation& activation, const char* who,
                           const std::function<std::vector<float>(const Case&)>& evaluate) {
  for (const Case& c : cases(activation)) {
    double largest = 0;
    const Expected expected = expected_block(c.block, c.x, c.T, nullptr, {activation});
    EXPECT_TRUE(within_bound(expected, evaluate(c), &largest)) << to_string(activation) << ", " << c.name;
    if (activation == Activation()) std::printf("  %s, %s: %.4f of the bound\n", who, c.name.c_str(), largest);
    if (c.close) {
      EXPECT_GT(largest, 0.01) << to_string(activation) << ", " << c.name << ": the bound is too wide";
    }
  }
}

TEST(ErrorBound, HonestArithmeticStaysBelowAndComesNear) {
  for (const Activation& activation : activations()) {
    expect_close_to_bound(activation, "model", [&](const Case& c) { return model(c, activation); });
  }
}

class BlockErrorBound : public IsaTest {};
SWIGLU_FOR_EVERY_ISA(BlockErrorBound);

TEST_P(BlockErrorBound, KernelsStayBelowAndComeNear) {
  for (const Activation& activation : activations()) {
    expect_close_to_bound(activation, to_string(GetParam()), [&](const Case& c) {
      Options options = single_threaded(GetParam());
      options.activation = activation;
      return forward(FeedForward(c.block.d_model, c.block.d_ff, c.block.weights(), options), c.x, c.T);
    });
  }
}

// A wrong kernel is above it: a weight of 512 left out, x rounded to 8 binary digits, a NaN.
TEST(ErrorBound, WrongArithmeticIsAbove) {
  const Case c = random_case(16, 32);
  const Expected expected = expected_block(c.block, c.x, c.T);
  Case without_a_term = c;
  without_a_term.block.gate[5] = 0;
  EXPECT_FALSE(within_bound(expected, model(without_a_term, {})));
  Case rounded = c;
  for (float& x : rounded.x) x = static_cast<float>(std::lround(x * 256)) / 256;
  EXPECT_FALSE(within_bound(expected, model(rounded, {})));
  std::vector<float> y = model(c, {});
  y[3] = NAN;
  EXPECT_FALSE(within_bound(expected, y));
}

// Calculus says where the slopes are largest.
TEST(SlopeBound, FindsTheLargestSlopes) {
  constexpr double kAnywhere = 1000;
  const auto largest = [&](const Activation& a) { return gate_slope(a).over(-kAnywhere, kAnywhere); };
  EXPECT_NEAR(largest(Preset::swiglu), 1.0998393201288669, 2e-6);
  EXPECT_NEAR(largest(Activation::swiglu(-3)), 3 * 1.0998393201288669, 6e-6);
  EXPECT_NEAR(largest(Preset::geglu_quick), 1.0998393201288669, 2e-6);
  EXPECT_NEAR(largest(Preset::geglu_erf), 1.1289041451, 2e-6);  // at √2
  EXPECT_NEAR(largest(Preset::glu), 0.25, 1e-6);
  EXPECT_NEAR(largest(Preset::reglu), 1, 2e-6);
  EXPECT_NEAR(largest(Preset::bilinear), 1, 2e-6);
  EXPECT_NEAR(largest(Preset::relu2), 2 * kAnywhere, 3e-3);
  EXPECT_NEAR(gate_slope(Preset::swiglu).over(-5, -1.5), 0.0998393201288669, 1e-6);
  EXPECT_NEAR(gate_slope(Preset::glu).over(0.5, 1), 0.2350037122, 1e-6) << "the end next to the peak";
  EXPECT_EQ(gate_slope(Preset::gpt_oss).over(8, 9), 0) << "behind the clamp";
  EXPECT_NEAR(gate_slope(Preset::deepseek_v4).over(9.99, 10.01), 1.0004, 1e-4) << "across the clamp";
}

// No slope on a dense grid is above the bound of its interval.
TEST(SlopeBound, HoldsOnRandomIntervals) {
  Random random(4);
  for (const Activation& a : activations()) {
    const SlopeBound bound = gate_slope(a);
    for (int i = 0; i < 300; ++i) {
      const double middle = random.normal(6), radius = std::ldexp(1.0, -static_cast<int>(random.below(20)));
      const double limit = bound.over(middle - radius, middle + radius);
      for (int k = -50; k < 50; ++k) {
        const double from = middle + radius * k / 50, to = middle + radius * (k + 1) / 50;
        const double moved = std::fabs(reference::gate_factor(a, to) - reference::gate_factor(a, from));
        ASSERT_LE(moved, limit * (to - from) + 1e-15 * (1 + std::fabs(reference::gate_factor(a, to)))) << to_string(a);
      }
    }
  }
}

}  // namespace
}  // namespace swiglu::testing
