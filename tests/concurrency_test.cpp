// One object, many callers (hard cases T-03, T-04): each with its own workspace and T, all with the right bits.

#include <gtest/gtest.h>
#include <swiglu/swiglu.h>

#include <atomic>
#include <memory>
#include <thread>

#include "support/bits.hpp"
#include "support/block_case.hpp"
#include "support/executors.hpp"
#include "support/isa_param.hpp"
#include "support/random.hpp"

namespace swiglu::testing {
namespace {

struct Batch {
  std::size_t T;
  std::vector<float> x, expected;
};

// `callers` threads run `calls` batches each on `ff` and count wrong results.
std::size_t wrong_results(const FeedForward& ff, const std::vector<Batch>& batches, std::size_t callers,
                          std::size_t calls) {
  std::atomic<std::size_t> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&, caller] {
      const Workspace workspace = ff.make_workspace();
      for (std::size_t call = 0; call < calls; ++call) {
        const Batch& batch = batches[(caller + call) % batches.size()];
        std::vector<float> y(batch.expected.size(), canary());
        ff.forward({batch.x.data()}, {y.data()}, batch.T, workspace);
        if (!same_bits(y, batch.expected)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

class Concurrency : public IsaTest {
 protected:
  void check(Options options) { check(random_block(301, 500), {1, 2, 5, 16, 33}, options, 8, emulated() ? 5 : 60); }

  void check(const BlockCase& block, const std::vector<std::size_t>& token_counts, Options options, std::size_t callers,
             std::size_t calls) {
    const FeedForward single(block.d_model, block.d_ff, block.weights(), single_threaded(GetParam()));
    std::vector<Batch> batches;
    for (const std::size_t T : token_counts) {
      Batch batch{T, random_floats(T * block.d_model, T), {}};
      batch.expected = forward(single, batch.x, T);
      batches.push_back(batch);
    }
    options.isa = GetParam();
    const FeedForward ff(block.d_model, block.d_ff, block.weights(), options);
    EXPECT_EQ(wrong_results(ff, batches, callers, calls), 0u);
  }
};
SWIGLU_FOR_EVERY_ISA(Concurrency);

TEST_P(Concurrency, EightCallersWithoutThreads) {
  Options options;
  options.threads = 1;
  check(options);
}

TEST_P(Concurrency, EightCallersOnOnePool) {
  Options options;
  options.threads = 2;
  check(options);
}

TEST_P(Concurrency, EightCallersOnAHostExecutor) {
  Options options;
  options.executor = std::make_shared<ThreadPerTaskExecutor>(3);
  check(options);
}

// From T = 16 · Tuning::row_parallel_rows on (192 or 384), two workers take rows, and do them alone, in their part of
// the caller's workspace; the batches above are far below that.
class RowParallelConcurrency : public Concurrency {
 protected:
  const BlockCase block_ = random_block(33, 48);
  const std::vector<std::size_t> token_counts_ = {400, 437};

  void check_two_callers(const Options& options) {
    check(block_, token_counts_, options, 2, emulated() ? 2 : kThreadSanitizer ? 20 : 200);
  }
};
SWIGLU_FOR_EVERY_ISA(RowParallelConcurrency);

// Without this, those below could quietly become tests of what the ones above test.
TEST_P(RowParallelConcurrency, WorkersAreAskedOnceForAWholeCall) {
  Options options;
  options.isa = GetParam();
  const auto executor = std::make_shared<SequentialExecutor>(2, SequentialExecutor::Kind::reverse);
  options.executor = executor;
  const FeedForward ff(block_.d_model, block_.d_ff, block_.weights(), options);
  for (const std::size_t T : token_counts_) {
    const std::size_t before = executor->calls();
    forward(ff, random_floats(T * block_.d_model, T), T);
    EXPECT_EQ(executor->calls() - before, 1u) << "T = " << T << ": workers take panels";
  }
}

TEST_P(RowParallelConcurrency, TwoCallersOnOnePool) {
  Options options;
  options.threads = 2;
  check_two_callers(options);
}

TEST_P(RowParallelConcurrency, TwoCallersOnAHostExecutor) {
  Options options;
  options.executor = std::make_shared<ThreadPerTaskExecutor>(2);
  check_two_callers(options);
}

// Objects with their own pools come and go without harm to each other (hard case T-05).
TEST_P(Concurrency, ManyShortLivedObjects) {
  const BlockCase block = random_block(128, 160);
  const std::vector<float> x = random_floats(8 * block.d_model, 1);
  const FeedForward single(block.d_model, block.d_ff, block.weights(), single_threaded(GetParam()));
  const std::vector<float> expected = forward(single, x, 8);
  for (int i = 0; i < 20; ++i) {
    Options options;
    options.isa = GetParam();
    options.threads = 1 + i % 4;
    const FeedForward ff(block.d_model, block.d_ff, block.weights(), options);
    ASSERT_TRUE(same_bits(forward(ff, x, 8), expected));
  }
}

TEST(ThreadCount, DefaultIsAtLeastOneAndUsedByTheDefaultPool) {
  EXPECT_GE(default_thread_count(), 1u);
  EXPECT_EQ(make_thread_pool()->concurrency(), default_thread_count());
  EXPECT_EQ(make_thread_pool(1)->concurrency(), 1u);
  EXPECT_EQ(make_thread_pool(3)->concurrency(), 3u);
}

}  // namespace
}  // namespace swiglu::testing
