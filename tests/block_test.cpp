// The block as a user sees it: right numbers for every shape, bias, layout and kernel set.

#include <gtest/gtest.h>
#include <swiglu/swiglu.h>

#include <cfenv>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "support/bits.hpp"
#include "support/block_case.hpp"
#include "support/error_bound.hpp"
#include "support/isa_param.hpp"
#include "support/random.hpp"

namespace swiglu::testing {
namespace {

const float kInfinity = std::numeric_limits<float>::infinity();
const float kNaN = std::numeric_limits<float>::quiet_NaN();

// Runs T random rows and checks them against the derived bound.
::testing::AssertionResult right(const BlockCase& block, const FeedForward& ff, std::size_t T,
                                 double* largest = nullptr) {
  const std::vector<float> x = random_floats(T * block.d_model, 77 + T);
  return within_bound(expected_block(block, x, T), forward(ff, x, T), largest) << " (T " << T << ")";
}

FeedForward make(const BlockCase& block, Isa isa) {
  return FeedForward(block.d_model, block.d_ff, block.weights(), single_threaded(isa));
}

class Block : public IsaTest {};
SWIGLU_FOR_EVERY_ISA(Block);

// activations.md: from a textbook, so the numbers are not ours.
TEST_P(Block, WorkedExample) {
  const float x[] = {1, 0, -1, 2};
  const float gate[] = {1, 0, 0.5f, 0.5f, 1, 0, 0, 1, -0.5f, 0, 0, 0.5f};
  const float up[] = {1, 0.5f, 0, 0, 1, 0.5f, -0.5f, 0, -0.25f, 0.25f, 0.25f, 0.125f};
  const float down[] = {1, 0, 0.5f, 0, 0, 1, 0, -0.5f, 0.5f, 0, 1, 1};
  const Weights weights = Weights::separate({gate, Order::in_out}, {up, Order::in_out}, {down, Order::in_out});
  const FeedForward ff(4, 3, weights, single_threaded(GetParam()));
  const std::vector<float> y = forward(ff, {x, x + 4}, 1);
  const float expected[] = {1.9025f, -0.2689f, 1.6119f, 1.0153f};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(y[i], expected[i], 1e-4f) << i;
}

TEST_P(Block, SmallShapes) {
  for (std::size_t d : {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 70}) {
    for (std::size_t h : {1, 2, 5, 8, 15, 16, 17, 24, 31, 32, 33, 48, 49, 64, 70}) {
      const BlockCase block = random_block(d, h);
      const FeedForward ff = make(block, GetParam());
      for (std::size_t T : {1, 2, 5}) ASSERT_TRUE(right(block, ff, T)) << "d_model " << d << ", d_ff " << h;
    }
  }
}

// Odd and even, with every remainder by 16 and 32 (hard case S-01), on the diagonal to keep it short.
TEST_P(Block, EveryWidthUpTo130) {
  for (std::size_t n = 1; n <= 130; ++n) {
    const BlockCase block = random_block(n, 131 - n);
    ASSERT_TRUE(right(block, make(block, GetParam()), 3)) << "d_model " << n << ", d_ff " << 131 - n;
  }
}

// Widths of real models and their neighbours, as d_ff and as d_model (hard case S-16).
TEST_P(Block, RealWidthsPlusMinusOne) {
  for (std::size_t width : {320, 640, 1408, 2816, 2880, 5632, 10944, 11008, 13824, 14336}) {
    for (std::size_t n = width - 1; n <= width + 1; ++n) {
      const BlockCase wide_hidden = random_block(9, n, kGateBias | kDownBias);
      ASSERT_TRUE(right(wide_hidden, make(wide_hidden, GetParam()), 3)) << "d_ff " << n;
      const BlockCase wide_model = random_block(n, 9, kUpBias);
      ASSERT_TRUE(right(wide_model, make(wide_model, GetParam()), 3)) << "d_model " << n;
    }
  }
}

TEST_P(Block, RowCountsAroundTilesAndRowBlocks) {
  const BlockCase block = random_block(50, 75);
  const FeedForward ff = make(block, GetParam());
  for (std::size_t T = 1; T <= 48; ++T) ASSERT_TRUE(right(block, ff, T));
  for (std::size_t T : {127, 128, 129, 255, 256, 257, 300, 513}) ASSERT_TRUE(right(block, ff, T));
}

TEST_P(Block, EveryCombinationOfBiases) {
  for (unsigned biases = 0; biases <= kAllBiases; ++biases) {
    const BlockCase block = random_block(21, 37, biases);
    ASSERT_TRUE(right(block, make(block, GetParam()), 4)) << "biases " << biases;
  }
}

TEST_P(Block, EveryLayoutGivesTheSameBits) {
  for (unsigned biases : {0u, unsigned{kAllBiases}, unsigned{kGateBias}, unsigned{kUpBias}}) {
    const BlockCase block = random_block(19, 23, biases);
    const std::vector<float> x = random_floats(5 * block.d_model, 3);
    const std::vector<float> y = forward(make(block, GetParam()), x, 5);
    for (const Layout& layout : all_layouts()) {
      const StoredWeights stored = store(block, layout);
      const FeedForward ff(block.d_model, block.d_ff, stored.view, single_threaded(GetParam()));
      ASSERT_TRUE(same_bits(forward(ff, x, 5), y)) << layout.name() << ", biases " << biases;
    }
  }
}

// Fused weights whose second half starts at no particular alignment (hard case S-12).
TEST_P(Block, FusedHalvesOfEveryWidth) {
  for (std::size_t h = 1; h <= 40; ++h) {
    const BlockCase block = random_block(12, h);
    const std::vector<float> x = random_floats(2 * block.d_model, h);
    const std::vector<float> y = forward(make(block, GetParam()), x, 2);
    for (GateUpLayout kind :
         {GateUpLayout::halves_gate_first, GateUpLayout::halves_up_first, GateUpLayout::interleaved}) {
      Layout layout;
      layout.fused = true;
      layout.gate_up = kind;
      const StoredWeights stored = store(block, layout);
      const FeedForward ff(block.d_model, h, stored.view, single_threaded(GetParam()));
      ASSERT_TRUE(same_bits(forward(ff, x, 2), y)) << layout.name() << ", d_ff " << h;
    }
  }
}

TEST_P(Block, AccumulateAddsOnce) {
  for (std::size_t T : {1, 3, 20}) {
    const BlockCase block = random_block(45, 30);
    const FeedForward ff = make(block, GetParam());
    const std::vector<float> x = random_floats(T * block.d_model, 1), y0 = random_floats(T * block.d_model, 2, 3.0f);
    const std::vector<float> sum = forward_accumulate(ff, x, y0, T);
    ASSERT_TRUE(within_bound(expected_block(block, x, T, &y0), sum));
    std::vector<float> added = forward(ff, x, T);
    for (std::size_t i = 0; i < added.size(); ++i) added[i] = y0[i] + added[i];
    ASSERT_TRUE(same_bits(sum, added)) << "one rounding on top of the plain result";
  }
}

TEST_P(Block, WeightsMayGoAfterConstruction) {
  const BlockCase block = random_block(33, 65);
  const std::vector<float> x = random_floats(3 * block.d_model, 4);
  auto copy = std::make_unique<BlockCase>(block);
  const FeedForward ff = make(*copy, GetParam());
  for (auto* v : {&copy->gate, &copy->up, &copy->down, &copy->gate_bias, &copy->up_bias, &copy->down_bias}) {
    std::fill(v->begin(), v->end(), canary());
  }
  copy.reset();
  EXPECT_TRUE(same_bits(forward(ff, x, 3), forward(make(block, GetParam()), x, 3)));
}

TEST_P(Block, MovesKeepWorking) {
  const BlockCase block = random_block(10, 20);
  const std::vector<float> x = random_floats(block.d_model, 5);
  FeedForward first = make(block, GetParam());
  const std::vector<float> y = forward(first, x, 1);
  FeedForward second = std::move(first);
  EXPECT_TRUE(same_bits(forward(second, x, 1), y));
  FeedForward third = make(random_block(3, 3), GetParam());
  third = std::move(second);
  EXPECT_TRUE(same_bits(forward(third, x, 1), y));
}

// A NaN stays in its row, at every position of the row, on every kernel set (hard case N-05).
TEST_P(Block, NaNSpoilsItsRowOnly) {
  const BlockCase block = random_block(37, 53);
  const FeedForward ff = make(block, GetParam());
  for (std::size_t T : {1, 7, 30}) {
    const std::vector<float> clean = random_floats(T * block.d_model, 6);
    const std::vector<float> expected = forward(ff, clean, T);
    for (std::size_t row : {std::size_t{0}, T / 2, T - 1}) {
      for (std::size_t column : {0, 15, 16, 36}) {
        std::vector<float> x = clean;
        x[row * block.d_model + column] = kNaN;
        const std::vector<float> y = forward(ff, x, T);
        for (std::size_t t = 0; t < T; ++t) {
          const float* y_row = &y[t * block.d_model];
          if (t != row) {
            ASSERT_TRUE(same_bits(y_row, &expected[t * block.d_model], block.d_model)) << "row " << t << " of " << T;
            continue;
          }
          for (std::size_t i = 0; i < block.d_model; ++i) ASSERT_TRUE(std::isnan(y_row[i])) << "column " << i;
        }
      }
    }
  }
}

// silu(-∞) = -0 and silu(+∞) = +∞ inside the block, in every lane and in the ragged end (hard case N-01).
TEST_P(Block, InfiniteGates) {
  for (std::size_t h : {1, 15, 16, 17, 31, 33}) {
    for (std::size_t unit = 0; unit < h; ++unit) {
      BlockCase block = random_block(4, h);
      block.down_bias.assign(4, 0.0f);
      std::fill(block.down.begin(), block.down.end(), 1.0f);
      std::fill(block.up_bias.begin(), block.up_bias.end(), 2.0f);
      std::fill(block.gate_bias.begin(), block.gate_bias.end(), 0.0f);
      for (std::size_t T : {1, 5}) {
        const std::vector<float> x(T * 4, 0.0f);
        block.gate_bias[unit] = -kInfinity;
        for (float y : forward(make(block, GetParam()), x, T)) ASSERT_EQ(y, 0.0f) << "d_ff " << h << ", unit " << unit;
        block.gate_bias[unit] = kInfinity;
        for (float y : forward(make(block, GetParam()), x, T))
          ASSERT_EQ(y, kInfinity) << "d_ff " << h << ", unit " << unit;
      }
    }
  }
}

// Infinite x of both signs whose products agree in sign: infinity, and padding makes no ∞·0 (hard case N-21).
TEST_P(Block, InfiniteInputs) {
  for (std::size_t d : {3, 16, 17, 33}) {
    BlockCase block = random_block(d, 2, kNoBias);
    std::fill(block.gate.begin(), block.gate.end(), 1.0f);
    std::fill(block.up.begin(), block.up.end(), 1.0f);
    std::fill(block.down.begin(), block.down.end(), 1.0f);
    std::vector<float> x(d, 0.0f);
    x[0] = kInfinity;
    x[d - 1] = -kInfinity;
    for (std::size_t unit : {0, 1}) block.gate[unit * d + d - 1] = block.up[unit * d + d - 1] = -1.0f;
    for (float y : forward(make(block, GetParam()), x, 1)) ASSERT_EQ(y, kInfinity) << "d_model " << d;
  }
}

// Outliers of late layers: 700·700 is beyond f16, the result is an ordinary number (hard case N-11).
TEST_P(Block, GateOutliersStayFinite) {
  BlockCase block = random_block(1, 1, kNoBias);
  block.gate = {700.0f};
  block.up = {700.0f};
  block.down = {1e-4f};
  EXPECT_NEAR(forward(make(block, GetParam()), {1.0f}, 1)[0], 49.0f, 49.0f * 1e-6f);
}

// Subnormal weights are honoured, not flushed (hard case N-20).
TEST_P(Block, SubnormalsAreNotFlushed) {
  BlockCase block = random_block(2, 1, kNoBias);
  block.gate = {1.0f, 0.0f};
  block.up = {0.0f, 1e-41f};
  block.down = {1.0f, 1.0f};
  const std::vector<float> y = forward(make(block, GetParam()), {30.0f, 1.0f}, 1);
  EXPECT_EQ(y[0], 30.0f * 1e-41f);
}

// Lanes that nobody uses raise no exception flag, so a host that traps survives (hard case S-17).
TEST_P(Block, RaisesNoSpuriousFloatingPointExceptions) {
  for (std::size_t h = 1; h <= 40; ++h) {
    const BlockCase block = random_block(41 - h, h);
    const FeedForward ff = make(block, GetParam());
    for (std::size_t T : {1, 5}) {
      const std::vector<float> x = random_floats(T * block.d_model, 8, 40.0f);
      std::feclearexcept(FE_ALL_EXCEPT);
      const std::vector<float> y = forward(ff, x, T);
      ASSERT_EQ(std::fetestexcept(FE_INVALID | FE_DIVBYZERO), 0) << "d_ff " << h << ", T " << T;
    }
  }
}

// Equal columns give equal results, whatever lane or tile they fall into (hard case N-19).
TEST_P(Block, ConstantMatricesGiveConstantRows) {
  for (std::size_t n : {1, 7, 16, 31, 33, 64, 97, 130}) {
    BlockCase block = random_block(n, 131 - n, kNoBias);
    for (auto* w : {&block.gate, &block.up, &block.down}) std::fill(w->begin(), w->end(), 0.3f);
    const std::vector<float> y = forward(make(block, GetParam()), std::vector<float>(9 * n, 0.7f), 9);
    for (float v : y) ASSERT_EQ(bits_of(v), bits_of(y[0])) << "d_model " << n;
  }
}

TEST_P(Block, SaysWhatRuns) {
  const FeedForward ff = make(random_block(8, 8), GetParam());
  EXPECT_EQ(ff.isa(), GetParam());
  EXPECT_EQ(ff.backend(), Backend::native);
  EXPECT_EQ(ff.threads(), 1u);
  EXPECT_EQ(ff.d_model(), 8u);
  EXPECT_EQ(ff.d_ff(), 8u);
  EXPECT_NE(ff.explain().find(to_string(GetParam())), std::string::npos) << ff.explain();
}

// The definition of correct agrees with the independent one of the tests, rounded once.
TEST(ReferenceBlock, IsTheExactResultRoundedOnce) {
  for (std::size_t n : {1, 5, 32, 47}) {
    for (unsigned biases = 0; biases <= kAllBiases; ++biases) {
      const BlockCase block = random_block(n, 2 * n + 1, biases);
      Options options;
      options.backend = Backend::reference;
      const FeedForward ff(block.d_model, block.d_ff, block.weights(), options);
      const std::vector<float> x = random_floats(3 * n, n);
      const Expected expected = expected_block(block, x, 3);
      const std::vector<float> y = forward(ff, x, 3);
      for (std::size_t i = 0; i < y.size(); ++i) {
        ASSERT_NEAR(y[i], expected.y[i], 0x1.0001p-24 * std::fabs(expected.y[i]) + 1e-12) << "element " << i;
      }
    }
  }
}

}  // namespace
}  // namespace swiglu::testing
