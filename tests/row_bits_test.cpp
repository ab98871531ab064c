// Contract C2: a row has the same bits alone and in any batch, at any position, on any number of threads, in any order
// of tasks, in every run. Contract C3: the same bits on every kernel set with a fused multiply-add.

#include <gtest/gtest.h>
#include <swiglu/swiglu.h>

#include <algorithm>
#include <memory>

#include "support/bits.hpp"
#include "support/block_case.hpp"
#include "support/busy_machine.hpp"
#include "support/executors.hpp"
#include "support/isa_param.hpp"
#include "support/random.hpp"

namespace swiglu::testing {
namespace {

// More than one k block in both products, ragged panels; small enough for hundreds of batches.
BlockCase test_block() { return random_block(213, 419); }

std::size_t rows_to_try() { return emulated() ? 40 : 300; }  // more than a row block

// Row t of the result of each row of x alone.
std::vector<float> rows_alone(const FeedForward& ff, const std::vector<float>& x, std::size_t T) {
  std::vector<float> y;
  for (std::size_t t = 0; t < T; ++t) {
    const auto row = x.begin() + static_cast<std::ptrdiff_t>(t * ff.d_model());
    const std::vector<float> one = forward(ff, {row, row + static_cast<std::ptrdiff_t>(ff.d_model())}, 1);
    y.insert(y.end(), one.begin(), one.end());
  }
  return y;
}

class RowBits : public IsaTest {};
SWIGLU_FOR_EVERY_ISA(RowBits);

TEST_P(RowBits, SameAloneAndInEveryBatch) {
  const BlockCase block = test_block();
  const FeedForward ff(block.d_model, block.d_ff, block.weights(), single_threaded(GetParam()));
  const std::size_t most = rows_to_try();
  const std::vector<float> x = random_floats(most * block.d_model, 1);
  const std::vector<float> alone = rows_alone(ff, x, most);
  std::vector<std::size_t> batches;
  for (std::size_t T = 2; T <= std::min<std::size_t>(64, most); ++T) batches.push_back(T);
  for (std::size_t T : {127, 128, 129, 130, 257, 300}) {
    if (T <= most) batches.push_back(T);
  }
  for (std::size_t T : batches) {
    // The batch ends with the last row: over all T, a row takes many positions.
    const std::size_t first = most - T;
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(first * block.d_model);
    const std::vector<float> y = forward(ff, {begin, x.end()}, T);
    ASSERT_TRUE(same_bits(y.data(), &alone[first * block.d_model], T * block.d_model)) << "T " << T;
  }
}

TEST_P(RowBits, SameAtEveryPositionAmongOtherNeighbours) {
  const BlockCase block = test_block();
  const FeedForward ff(block.d_model, block.d_ff, block.weights(), single_threaded(GetParam()));
  const std::size_t d = block.d_model;
  const std::vector<float> row = random_floats(d, 2);
  const std::vector<float> alone = forward(ff, row, 1);
  for (std::size_t T : {2, 3, 5, 13, 29}) {
    for (std::size_t position = 0; position < T; ++position) {
      std::vector<float> x = random_floats(T * d, 100 * T + position, 1e3f);
      std::copy(row.begin(), row.end(), x.begin() + static_cast<std::ptrdiff_t>(position * d));
      ASSERT_TRUE(same_bits(&forward(ff, x, T)[position * d], alone.data(), d)) << "T " << T << ", row " << position;
    }
  }
}

// The accumulating call as well: y0 + the same bits.
TEST_P(RowBits, SameWhenAccumulating) {
  const BlockCase block = test_block();
  const FeedForward ff(block.d_model, block.d_ff, block.weights(), single_threaded(GetParam()));
  const std::size_t d = block.d_model, T = 31;
  const std::vector<float> x = random_floats(T * d, 3), y0 = random_floats(T * d, 4);
  const std::vector<float> batch = forward_accumulate(ff, x, y0, T);
  for (std::size_t t = 0; t < T; ++t) {
    const std::size_t begin = t * d, end = begin + d;
    const std::vector<float> one = forward_accumulate(ff, {&x[begin], &x[0] + end}, {&y0[begin], &y0[0] + end}, 1);
    ASSERT_TRUE(same_bits(one.data(), &batch[begin], d)) << "row " << t;
  }
}

TEST_P(RowBits, SameForEveryExecutorAndRun) {
  const BlockCase block = random_block(420, 700);  // enough work for several workers at every T below
  const FeedForward single(block.d_model, block.d_ff, block.weights(), single_threaded(GetParam()));
  std::vector<std::shared_ptr<Executor>> executors;
  for (std::size_t threads : {2, 3, 4}) executors.push_back(make_thread_pool(threads));
  auto reverse = std::make_shared<SequentialExecutor>(5, SequentialExecutor::Kind::reverse);
  executors.push_back(reverse);
  executors.push_back(std::make_shared<SequentialExecutor>(7, SequentialExecutor::Kind::random));
  executors.push_back(std::make_shared<ThreadPerTaskExecutor>(4));
  const std::size_t runs = emulated() ? 2 : 10;
  for (std::size_t T : {1, 2, 7, 64}) {
    const std::vector<float> x = random_floats(T * block.d_model, T);
    const std::vector<float> expected = forward(single, x, T);
    for (const auto& executor : executors) {
      Options options;
      options.isa = GetParam();
      options.executor = executor;
      const FeedForward ff(block.d_model, block.d_ff, block.weights(), options);
      EXPECT_EQ(ff.threads(), executor->concurrency());
      for (std::size_t run = 0; run < runs; ++run) {
        ASSERT_TRUE(same_bits(forward(ff, x, T), expected))
            << "T " << T << ", concurrency " << executor->concurrency() << ", run " << run;
      }
    }
  }
  EXPECT_GT(reverse->calls(), 0u) << "the host's executor was never asked: this test proved nothing";
}

// A call of many rows asks for workers more than once: an executor that has none to spare when it begins is asked
// again.
TEST_P(RowBits, ALongCallAsksItsExecutorAgain) {
  const BlockCase block = random_block(64, 96);
  const auto executor = std::make_shared<SequentialExecutor>(2, SequentialExecutor::Kind::reverse);
  Options options;
  options.isa = GetParam();
  options.executor = executor;
  const FeedForward ff(block.d_model, block.d_ff, block.weights(), options);
  const std::size_t T = 1024, before = executor->calls();
  const std::vector<float> x = random_floats(T * block.d_model, 1);
  const std::vector<float> y = forward(ff, x, T);
  EXPECT_GE(executor->calls() - before, 2u);
  const FeedForward single(block.d_model, block.d_ff, block.weights(), single_threaded(GetParam()));
  EXPECT_TRUE(same_bits(y, forward(single, x, T)));
}

// Every T from 1 to 64 and some beyond against their rows alone, while other processes take the CPUs away in the middle
// of a call: who computes which panel, and when, is then different in every call.
TEST_P(RowBits, SameOnAnyNumberOfThreadsUnderLoad) {
  if (emulated()) GTEST_SKIP() << "qemu-user does not promise fork() beside threads";
  const BlockCase block = random_block(420, 700);
  const std::size_t d = block.d_model, most = 450;
  std::vector<std::size_t> batches;
  for (std::size_t T = 1; T <= 64; ++T) batches.push_back(T);
  for (std::size_t T : {97, 128, 129, 193, 255, 300, 450}) batches.push_back(T);  // two workers take rows
  const FeedForward single(d, block.d_ff, block.weights(), single_threaded(GetParam()));
  const std::vector<float> x = random_floats(most * d, 5);
  const std::vector<float> alone = rows_alone(single, x, most);
  std::vector<std::shared_ptr<Executor>> executors = {
      make_thread_pool(1), std::make_shared<SequentialExecutor>(7, SequentialExecutor::Kind::random),
      std::make_shared<ThreadPerTaskExecutor>(4)};
  for (std::size_t threads : {2, 3, 5}) executors.push_back(make_thread_pool(threads));
  const BusyMachine load(default_thread_count());
  ASSERT_EQ(load.size(), default_thread_count());
  for (const auto& executor : executors) {
    Options options;
    options.isa = GetParam();
    options.executor = executor;
    const FeedForward ff(d, block.d_ff, block.weights(), options);
    for (const std::size_t T : batches) {
      const std::vector<float> y = forward(ff, {x.begin(), x.begin() + static_cast<std::ptrdiff_t>(T * d)}, T);
      ASSERT_TRUE(same_bits(y.data(), alone.data(), T * d)) << "T " << T << ", up to " << ff.threads() << " tasks";
    }
  }
}

TEST(EqualBits, OnEveryIsaWithFusedMultiplyAdd) {
  const std::vector<Isa> isas = runnable_fma_isas();
  if (isas.size() < 2) GTEST_SKIP() << "fewer than two such kernel sets run here; swiglu_hashes compares machines";
  for (std::size_t n : {1, 17, 64, 213, 419}) {
    const BlockCase block = random_block(n, 420 - n);
    for (std::size_t T : {1, 2, 3, 14, 15, 40}) {
      const std::vector<float> x = random_floats(T * n, T, 3.0f);
      const FeedForward first(n, 420 - n, block.weights(), single_threaded(isas[0]));
      const std::vector<float> expected = forward(first, x, T);
      for (std::size_t i = 1; i < isas.size(); ++i) {
        const FeedForward ff(n, 420 - n, block.weights(), single_threaded(isas[i]));
        ASSERT_TRUE(same_bits(forward(ff, x, T), expected))
            << to_string(isas[i]) << " and " << to_string(isas[0]) << ", d_model " << n << ", T " << T;
      }
    }
  }
}

}  // namespace
}  // namespace swiglu::testing
