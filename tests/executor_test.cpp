// The executors that README.md shows, with the library's own threads nowhere: the same bits, alone, with several
// callers, and while other processes want the CPUs.

#include <gtest/gtest.h>
#include <swiglu/swiglu.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "examples/thread_pool_executor.hpp"
#ifdef SWIGLU_TEST_OPENMP
#include "examples/openmp_executor.hpp"
#endif
#include "support/bits.hpp"
#include "support/block_case.hpp"
#include "support/busy_machine.hpp"
#include "support/executors.hpp"
#include "support/random.hpp"

namespace swiglu::testing {
namespace {

constexpr std::size_t kMaxRows = 64;

// Every T from 1 to 64, by two callers at a time.
void expect_same_bits(const std::shared_ptr<Executor>& executor) {
  const BlockCase block = random_block(420, 700);  // enough work for several workers from T = 1 on
  Options options;
  options.threads = 1;
  const FeedForward single(block.d_model, block.d_ff, block.weights(), options);
  options.executor = executor;
  const FeedForward hosted(block.d_model, block.d_ff, block.weights(), options);
  EXPECT_EQ(hosted.threads(), executor->concurrency());
  const auto wrong = [&] {
    std::size_t count = 0;
    for (std::size_t T = 1; T <= kMaxRows; ++T) {
      const std::vector<float> x = random_floats(T * block.d_model, T);
      count += same_bits(forward(hosted, x, T), forward(single, x, T)) ? 0 : 1;
    }
    return count;
  };
  std::atomic<std::size_t> other_wrong{0};
  std::thread other([&] { other_wrong = wrong(); });
  EXPECT_EQ(wrong(), 0u);
  other.join();
  EXPECT_EQ(other_wrong, 0u);
}

TEST(ExecutorExamples, ThreadPool) {
  HostPool pool(3);
  expect_same_bits(std::make_shared<ThreadPoolExecutor>(pool));
  const BusyMachine load(default_thread_count());
  ASSERT_EQ(load.size(), default_thread_count());
  expect_same_bits(std::make_shared<ThreadPoolExecutor>(pool));
}

TEST(ExecutorExamples, OpenMp) {
#ifndef SWIGLU_TEST_OPENMP
  GTEST_SKIP() << "this compiler has no OpenMP";
#else
  if (kThreadSanitizer) GTEST_SKIP() << "the OpenMP runtime is opaque to ThreadSanitizer";
  omp_set_num_threads(3);  // more than one also on a machine with one CPU
  expect_same_bits(std::make_shared<OpenMpExecutor>());
  const BusyMachine load(default_thread_count());
  ASSERT_EQ(load.size(), default_thread_count());
  expect_same_bits(std::make_shared<OpenMpExecutor>());
#endif
}

}  // namespace
}  // namespace swiglu::testing
