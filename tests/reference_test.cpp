// The definition of correct must itself be checked, against numbers that other people computed.

#include "reference/reference.hpp"

#include <gtest/gtest.h>
#include <swiglu/feed_forward.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference/activation.hpp"

namespace swiglu {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// A textbook's example, all matrices [in][out].
const std::vector<float> kX = {1, 0, -1, 2};
const std::vector<float> kGate = {1, 0, 0.5f, 0.5f, 1, 0, 0, 1, -0.5f, 0, 0, 0.5f};
const std::vector<float> kUp = {1, 0.5f, 0, 0, 1, 0.5f, -0.5f, 0, -0.25f, 0.25f, 0.25f, 0.125f};
const std::vector<float> kDown = {1, 0, 0.5f, 0, 0, 1, 0, -0.5f, 0.5f, 0, 1, 1};
const double kHidden[] = {1.4621, -0.2689, 0.8808};
const double kY[] = {1.9025, -0.2689, 1.6119, 1.0153};

Weights textbook_weights() {
  return Weights::separate({kGate.data(), Order::in_out}, {kUp.data(), Order::in_out}, {kDown.data(), Order::in_out});
}

TEST(Reference, TextbookExample) {
  const reference::BlockResult result =
      reference::forward(resolve_weights(4, 3, textbook_weights()), {}, kX.data(), 4, 1);
  EXPECT_EQ(result.gate, (std::vector<double>{1, -1, 2}));
  EXPECT_EQ(result.up, (std::vector<double>{2, 1, 0.5}));
  ASSERT_EQ(result.hidden.size(), 3u);
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(result.hidden[j], kHidden[j], 1e-4);
  ASSERT_EQ(result.y.size(), 4u);
  for (int c = 0; c < 4; ++c) EXPECT_NEAR(result.y[c], kY[c], 1e-4);
}

TEST(Reference, TextbookExampleOnEveryBackend) {
  for (const Backend backend : compiled_backends()) {
    Options options;
    options.backend = backend;
    options.threads = 1;
    const FeedForward block(4, 3, textbook_weights(), options);
    const Workspace workspace = block.make_workspace(1);
    std::vector<float> y(4, 100.0f);
    block.forward({kX.data()}, {y.data()}, 1, workspace);
    for (int c = 0; c < 4; ++c) EXPECT_NEAR(y[c], kY[c], 1e-4) << to_string(backend);
    block.forward({kX.data()}, {y.data()}, 1, workspace, true);
    for (int c = 0; c < 4; ++c) EXPECT_NEAR(y[c], 2 * kY[c], 2e-4) << to_string(backend) << ", accumulated";
  }
}

TEST(Reference, BiasesAndRows) {
  Weights weights = textbook_weights();
  const std::vector<float> gate_bias = {1, 10, 100};
  const std::vector<float> up_bias = {2, 20, 200};
  const std::vector<float> down_bias = {3, 30, 300, 3000};
  weights.gate_bias = gate_bias.data();
  weights.up_bias = up_bias.data();
  weights.down_bias = down_bias.data();
  // Row 0 is zeros: only biases. Row 1 is the example. They lie 5 elements apart.
  const std::vector<float> x = {0, 0, 0, 0, NAN, 1, 0, -1, 2};
  const reference::BlockResult result = reference::forward(resolve_weights(4, 3, weights), {}, x.data(), 5, 2);
  EXPECT_EQ(result.gate, (std::vector<double>{1, 10, 100, 2, 9, 102}));
  EXPECT_EQ(result.up, (std::vector<double>{2, 20, 200, 4, 21, 200.5}));
  const double h0 = reference::silu(1) * 2, h1 = reference::silu(10) * 20, h2 = reference::silu(100) * 200;
  EXPECT_NEAR(result.y[0], h0 + 0.5 * h2 + 3, 1e-9);
  EXPECT_NEAR(result.y[1], h1 + 30, 1e-9);
  EXPECT_NEAR(result.y[2], 0.5 * h0 + h2 + 300, 1e-9);
  EXPECT_NEAR(result.y[3], -0.5 * h1 + h2 + 3000, 1e-9);
}

TEST(Reference, BackendRoundsOnceForEveryT) {
  Options options;
  options.backend = Backend::reference;
  const FeedForward block(4, 3, textbook_weights(), options);
  EXPECT_EQ(block.workspace_bytes(1000), 0u);
  EXPECT_EQ(block.isa(), Isa::portable);
  constexpr std::size_t kT = 131;  // more than two of its row blocks
  std::vector<float> x(kT * 4);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
  std::vector<float> y(kT * 4);
  block.forward({x.data()}, {y.data()}, kT, nullptr, 0);
  const reference::BlockResult exact =
      reference::forward(resolve_weights(4, 3, textbook_weights()), {}, x.data(), 4, kT);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], static_cast<float>(exact.y[i])) << i;
}

TEST(ReferenceSilu, Limits) {
  EXPECT_EQ(reference::silu(-kInf), 0.0);
  EXPECT_TRUE(std::signbit(reference::silu(-kInf)));
  EXPECT_EQ(reference::silu(kInf), kInf);
  EXPECT_TRUE(std::isnan(reference::silu(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(reference::silu(0.0), 0.0);
  EXPECT_FALSE(std::signbit(reference::silu(0.0)));
  EXPECT_TRUE(std::signbit(reference::silu(-0.0)));
  EXPECT_EQ(reference::silu(1e300), 1e300);
}

TEST(ReferenceSilu, Minimum) {
  EXPECT_NEAR(reference::silu(-1.27846), -0.27846, 1e-5);
  for (double g = -4; g < 0; g += 1.0 / 1024) {
    EXPECT_GE(reference::silu(g), -0.2784645428);
    EXPECT_LE(reference::silu(g), 0.0);
  }
  for (double g = -1; g > -3.5e38; g *= 1.01) {
    EXPECT_GE(reference::silu(g), -0.2785);
    EXPECT_LE(reference::silu(g), 0.0);
  }
}

TEST(ReferenceSilu, KnownValues) {
  EXPECT_NEAR(reference::silu(1), 0.73105857863000487925, 1e-16);
  EXPECT_NEAR(reference::silu(-1), -0.26894142136999512075, 1e-16);
  EXPECT_NEAR(reference::silu(20) / 19.999999958776927636, 1, 1e-15);
  // −89·e^-89 / (1 + e^-89)
  EXPECT_NEAR(reference::silu(-89) / (-89 * std::exp(-89.0)), 1, 1e-14);
  EXPECT_NEAR(reference::silu(-89), -2e-37, 1e-37);
  // A normal float down to g ≈ −91.8, not beyond.
  EXPECT_GT(-reference::silu(-91.8), static_cast<double>(std::numeric_limits<float>::min()));
  EXPECT_LT(-reference::silu(-91.9), static_cast<double>(std::numeric_limits<float>::min()));
  EXPECT_LT(reference::silu(-740), 0.0) << "double's own gradual underflow";
}

}  // namespace
}  // namespace swiglu
