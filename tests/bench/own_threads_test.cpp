// Waiting for threads that spin: what the harness relies on when it changes from one arm to the next.

#include "own_threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "targets/targets.hpp"

namespace swiglu::bench {
namespace {

// Never sleeps, as OpenMP's do under OMP_WAIT_POLICY=active.
class SpinningThread {
 public:
  ~SpinningThread() {
    end_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> end_{false};
  std::thread thread_{[this] {
    while (!end_) {
    }
  }};
};

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
    EXPECT_TRUE(let_workers_sleep(2));
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

// With one thread there may still be those of an earlier point.
TEST(OwnThreads, WorkerThatNeverSleepsIsToldOnce) {
  ::testing::internal::CaptureStderr();
  {
    const SpinningThread worker;
    for (const std::size_t threads : {1, 2, 2}) EXPECT_FALSE(let_workers_sleep(threads)) << threads << " threads";
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  const std::size_t first = said.find("warning: threads of an earlier call still run");
  EXPECT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("warning", first + 1), std::string::npos) << said;
  EXPECT_NE(said.find("OMP_WAIT_POLICY"), std::string::npos) << said;
  for (const std::size_t threads : {1, 2}) EXPECT_TRUE(let_workers_sleep(threads)) << threads << " threads";
}

TEST(OwnThreads, TargetsMeasuredBesideThemSaySo) {
  Session session(parse_options({"swiglu-bench", "targets"}));
  TargetRun run(session);
  {
    const SpinningThread worker;
    run.begin("beside");
    run.show("a row", 1, "us", "detail");
  }
  run.begin("alone");
  run.show("a row", 1, "us", "detail");
  EXPECT_EQ(run.rows()[0].detail, "DISTURBED by spinning threads of this process; detail");
  EXPECT_EQ(run.rows()[1].detail, "detail");
  const Json document = session.document();
  for (const Json& row : document.at("targets").elements()) {
    EXPECT_EQ(row.text("detail").rfind("DISTURBED", 0) == 0, row.text("group") == "beside");
  }
}

}  // namespace
}  // namespace swiglu::bench
