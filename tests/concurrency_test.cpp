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
  void check(Options options) {
    const BlockCase block = random_block(301, 500);
    const FeedForward single(block.d_model, block.d_ff, block.weights(), single_threaded(GetParam()));
    std::vector<Batch> batches;
    for (std::size_t T : {1, 2, 5, 16, 33}) {
      Batch batch{T, random_floats(T * block.d_model, T), {}};
      batch.expected = forward(single, batch.x, T);
      batches.push_back(batch);
    }
    options.isa = GetParam();
    const FeedForward ff(block.d_model, block.d_ff, block.weights(), options);
    EXPECT_EQ(wrong_results(ff, batches, 8, emulated() ? 5 : 60), 0u);
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
