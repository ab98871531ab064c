// Waiting for threads that spin: what the harness relies on when it changes from one arm to the next.

#include "own_threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace swiglu::bench {
namespace {

// Many times, since a look that now and then takes a running thread for asleep is as bad as none: one that asks the
// process's CPU clock every 2 ms fails this within a few turns.
TEST(OwnThreads, WorkerThatSpinsIsWaitedForEveryTime) {
  std::mutex mutex;
  std::condition_variable wake;
  std::atomic<bool> spins{false};
  bool end = false;
  std::thread worker([&] {
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      wake.wait(lock, [&] { return end || spins; });
      if (end) return;
      const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(15);
      while (std::chrono::steady_clock::now() < until) {
      }
      spins = false;
    }
  });
  int too_early = 0;
  for (int turn = 0; turn < 30; ++turn) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      spins = true;
    }
    wake.notify_one();
    let_workers_sleep(2);
    too_early += spins ? 1 : 0;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex);
    end = true;
  }
  wake.notify_one();
  worker.join();
  EXPECT_EQ(too_early, 0);
}

}  // namespace
}  // namespace swiglu::bench
