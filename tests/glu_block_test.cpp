// Every activation fused into the block: right numbers on every kernel set and backend, and a row's bits whatever runs
// beside it. (silu's own case has many more tests: block_test, row_bits_test.)

#include <gtest/gtest.h>
#include <swiglu/swiglu.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "support/activations.hpp"
#include "support/bits.hpp"
#include "support/block_case.hpp"
#include "support/error_bound.hpp"
#include "support/executors.hpp"
#include "support/isa_param.hpp"
#include "support/random.hpp"

namespace swiglu::testing {
namespace {

FeedForward make(const BlockCase& block, const Activation& activation, Options options) {
  options.activation = activation;
  return FeedForward(block.d_model, block.d_ff, block.weights(), options);
}

// Gates and ups of some units: clamps, ceilings and tanh are at work.
BlockCase wide_block(std::size_t d_model, std::size_t d_ff) {
  BlockCase block = random_block(d_model, d_ff);
  for (float& w : block.gate) w *= 4;
  for (float& w : block.up) w *= 4;
  return block;
}

class GluBlock : public IsaTest {};
SWIGLU_FOR_EVERY_ISA(GluBlock);

TEST_P(GluBlock, WithinTheDerivedBound) {
  for (const Activation& a : typical_activations()) {
    for (const std::size_t n : {1, 17, 45}) {
      const BlockCase block = wide_block(n, 70 - n);
      const FeedForward ff = make(block, a, single_threaded(GetParam()));
      for (const std::size_t T : {1, 5, 16}) {
        const std::vector<float> x = random_floats(T * n, T);
        ASSERT_TRUE(within_bound(expected_block(block, x, T, nullptr, {a}), forward(ff, x, T)))
            << to_string(a) << ", d_model " << n << ", T " << T;
      }
    }
  }
}

// The tile's epilogue is the elementwise function: with gate and up weights of one 1 each and a down matrix that picks,
// y is glu(x, x'), bit for bit.
TEST_P(GluBlock, EpilogueIsTheElementwiseFunction) {
  constexpr std::size_t kPairs = 20;  // x = [gates, ups]
  BlockCase block;
  block.d_model = 2 * kPairs;
  block.d_ff = kPairs;
  block.gate.resize(block.d_ff * block.d_model);
  block.up = block.gate;
  block.down = block.gate;
  for (std::size_t j = 0; j < kPairs; ++j) {
    block.gate[j * block.d_model + j] = 1;
    block.up[j * block.d_model + kPairs + j] = 1;
    block.down[j * block.d_ff + j] = 1;
  }
  for (const Activation& a : typical_activations()) {
    const FeedForward ff = make(block, a, single_threaded(GetParam()));
    const std::vector<float> x = random_floats(3 * block.d_model, 1, 6.0f);
    const std::vector<float> y = forward(ff, x, 3);
    for (std::size_t t = 0; t < 3; ++t) {
      const float* row = &x[t * block.d_model];
      std::vector<float> expected(kPairs);
      glu(a, row, row + kPairs, expected.data(), kPairs, GetParam());
      for (float& h : expected) h += 0.0f;  // the down sum starts from +0, which turns a -0 into +0
      ASSERT_TRUE(same_bits(&y[t * block.d_model], expected.data(), kPairs)) << to_string(a) << ", row " << t;
    }
  }
}

TEST_P(GluBlock, RowsHaveTheirBitsForAnyBatchAndThreads) {
  const BlockCase block = wide_block(93, 210);
  const std::size_t d = block.d_model, most = 40;
  const std::vector<float> x = random_floats(most * d, 2);
  std::vector<std::shared_ptr<Executor>> executors = {
      std::make_shared<SequentialExecutor>(5, SequentialExecutor::Kind::random)};
  executors.push_back(make_thread_pool(2));
  for (const Activation& a : typical_activations()) {
    const FeedForward ff = make(block, a, single_threaded(GetParam()));
    std::vector<float> alone;
    for (std::size_t t = 0; t < most; ++t) {
      const std::vector<float> y = forward(ff, {&x[t * d], &x[0] + (t + 1) * d}, 1);
      alone.insert(alone.end(), y.begin(), y.end());
    }
    for (const std::size_t T : {2, 3, 7, 15, 29, 40}) {
      const std::vector<float> batch(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(T * d));
      ASSERT_TRUE(same_bits(forward(ff, batch, T).data(), alone.data(), T * d)) << to_string(a) << ", T " << T;
      if (T != 3 && T != 40) continue;  // threads take their time on a busy machine
      for (const auto& executor : executors) {
        Options options;
        options.isa = GetParam();
        options.executor = executor;
        ASSERT_TRUE(same_bits(forward(make(block, a, options), batch, T).data(), alone.data(), T * d))
            << to_string(a) << ", T " << T << ", up to " << executor->concurrency() << " tasks";
      }
    }
  }
}

TEST_P(GluBlock, SaysItsActivation) {
  const BlockCase block = random_block(8, 8);
  for (const Activation& a : typical_activations()) {
    const std::string text = make(block, a, single_threaded(GetParam())).explain();
    EXPECT_NE(text.find(": " + to_string(a) + ", d_model"), std::string::npos) << text;
  }
}

TEST(GluBlockBits, EqualOnEveryIsaWithFusedMultiplyAdd) {
  const std::vector<Isa> isas = runnable_fma_isas();
  if (isas.size() < 2) GTEST_SKIP() << "fewer than two such kernel sets run here; swiglu_hashes compares machines";
  const BlockCase block = wide_block(45, 70);
  const std::vector<float> x = random_floats(15 * block.d_model, 3);
  for (const Activation& a : all_kinds_of_activations()) {
    const std::vector<float> first = forward(make(block, a, single_threaded(isas[0])), x, 15);
    for (std::size_t i = 1; i < isas.size(); ++i) {
      EXPECT_TRUE(same_bits(forward(make(block, a, single_threaded(isas[i])), x, 15), first)) << to_string(a);
    }
  }
}

TEST(GluReferenceBlock, WithinTheDerivedBound) {
  Options options;
  options.backend = Backend::reference;
  const BlockCase block = wide_block(33, 50);
  const std::vector<float> x = random_floats(5 * block.d_model, 4);
  for (const Activation& a : typical_activations()) {
    const FeedForward ff = make(block, a, options);
    EXPECT_TRUE(within_bound(expected_block(block, x, 5, nullptr, {a}), forward(ff, x, 5))) << to_string(a);
    EXPECT_NE(ff.explain().find(to_string(a)), std::string::npos) << ff.explain();
  }
}

TEST(OneDnnGluBlock, WideFormWithinTheDerivedBound) {
  const std::vector<Backend> backends = compiled_backends();
  if (std::find(backends.begin(), backends.end(), Backend::onednn) == backends.end()) {
    GTEST_SKIP() << "built without oneDNN";
  }
  Options options;
  options.backend = Backend::onednn;
  options.threads = 2;
  const BlockCase block = wide_block(48, 70);
  for (const Activation& a : typical_activations()) {
    const FeedForward ff = make(block, a, options);
    EXPECT_NE(ff.explain().find(to_string(a)), std::string::npos) << ff.explain();
    for (const std::size_t T : {1, 2, 17}) {
      const std::vector<float> x = random_floats(T * block.d_model, T);
      EXPECT_TRUE(within_bound(expected_block(block, x, T, nullptr, {a}), forward(ff, x, T))) << to_string(a);
    }
    options.onednn_form = OneDnnForm::post_ops;
    if (a == Activation()) {
      EXPECT_NO_THROW(make(block, a, options));
    } else {
      EXPECT_THROW(make(block, a, options), Unsupported) << to_string(a);
    }
    options.onednn_form = OneDnnForm::wide;
  }
}

}  // namespace
}  // namespace swiglu::testing
