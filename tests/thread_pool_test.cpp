// The default pool: shared by objects, never waited for, safe after fork(). (Hard cases T-03, T-07, T-09.)

#include <gtest/gtest.h>
#include <swiglu/swiglu.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/bits.hpp"
#include "support/block_case.hpp"
#include "support/executors.hpp"
#include "support/isa_param.hpp"
#include "support/random.hpp"
#include "support/run_on_worker.hpp"

namespace swiglu::testing {
namespace {

// A joined thread stays in /proc for a moment: counts until the number has been the same for 5 ms. ThreadSanitizer adds
// a thread of its own with the first that is started, so one is started before anything is counted.
std::size_t threads_of_this_process() {
  std::thread([] {}).join();
  std::size_t last = 0;
  for (int same = 0; same < 5;) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++count;
    same = count == last ? same + 1 : 0;
    last = count;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return last;
}

Options two_threads() {
  Options options;
  options.threads = 2;
  return options;
}

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (std::size_t threads : {1, 2, 4}) {
    const auto pool = make_thread_pool(threads);
    for (std::size_t count : {0, 1, 2, 7, 100}) {
      std::vector<std::atomic<int>> runs(count);
      pool->parallel_for(
          count, [](void* context, std::size_t i) { ++(*static_cast<std::vector<std::atomic<int>>*>(context))[i]; },
          &runs);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(runs[i].load(), 1) << "task " << i << " of " << count;
    }
  }
}

TEST(ThreadPool, ManyObjectsShareOnePool) {
  const BlockCase block = random_block(64, 96);
  const std::size_t before = threads_of_this_process();
  std::vector<FeedForward> layers;
  for (int layer = 0; layer < 20; ++layer) layers.emplace_back(64, 96, block.weights(), two_threads());
  EXPECT_LE(threads_of_this_process(), before + 1);
}

// Who asks for one thread, or brings threads, gets none from us: not for packing, nor in the first call.
TEST(ThreadPool, OneThreadOrAHostsExecutorCreatesNone) {
  const BlockCase block = random_block(420, 700);
  const std::vector<float> x = random_floats(64 * 420, 1);
  const std::size_t before = threads_of_this_process();
  Options one, hosted;
  one.threads = 1;
  hosted.executor = std::make_shared<SequentialExecutor>(4, SequentialExecutor::Kind::reverse);
  for (const Options& options : {one, hosted}) {
    const FeedForward ff(420, 700, block.weights(), options);
    EXPECT_EQ(threads_of_this_process(), before);
    forward(ff, x, 64);
    EXPECT_EQ(threads_of_this_process(), before);
  }
}

// With more than one, they are there from the construction on, which packs with them, so that forward() need not
// allocate; and they go with the last object.
TEST(ThreadPool, ThreadsLiveAsLongAsObjectsThatUseThem) {
  const BlockCase block = random_block(420, 700);
  const std::vector<float> x = random_floats(64 * 420, 1);
  const std::size_t before = threads_of_this_process();
  {
    const FeedForward ff(420, 700, block.weights(), two_threads());
    EXPECT_EQ(threads_of_this_process(), before + 1);
    forward(ff, x, 64);
    EXPECT_EQ(threads_of_this_process(), before + 1);
  }
  EXPECT_EQ(threads_of_this_process(), before);
}

// A caller that finds the pool at work must not wait for it: here it would wait for ever, since the first call goes on
// only after the second has returned.
TEST(ThreadPool, ASecondCallerDoesItsOwnWork) {
  const auto pool = make_thread_pool(2);
  struct State {
    std::atomic<bool> started{false}, second_done{false}, timed_out{false};
  } state;
  std::thread first([&] {
    pool->parallel_for(
        1,
        [](void* context, std::size_t) {
          State& s = *static_cast<State*>(context);
          s.started = true;
          const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
          while (!s.second_done && !s.timed_out) s.timed_out = std::chrono::steady_clock::now() > limit;
        },
        &state);
  });
  while (!state.started) std::this_thread::yield();
  std::atomic<int> runs{0};
  pool->parallel_for(5, [](void* context, std::size_t) { ++*static_cast<std::atomic<int>*>(context); }, &runs);
  state.second_done = true;
  first.join();
  EXPECT_EQ(runs, 5);
  EXPECT_FALSE(state.timed_out) << "the second caller waited for the first";
}

sigset_t blocked_here() {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  return blocked;
}

// Handlers of a host run on its own threads. What a thread brings upon itself stays open, and the profiler's clock.
TEST(ThreadPool, WorkersBlockSignals) {
  sigset_t all, one, before, possible, after, workers;
  sigfillset(&all);
  sigemptyset(&one);
  sigaddset(&one, SIGUSR2);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  possible = blocked_here();  // neither SIGKILL nor what the C library or an emulator keeps for itself
  pthread_sigmask(SIG_SETMASK, &one, nullptr);
  const auto pool = make_thread_pool(2);
  after = blocked_here();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  run_on_worker(*pool, [&] { workers = blocked_here(); });
  const std::set<int> open = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP, SIGPROF};
  EXPECT_EQ(sigismember(&possible, SIGINT), 1);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    EXPECT_EQ(sigismember(&after, signal), signal == SIGUSR2 ? 1 : 0) << "the creator's mask, signal " << signal;
    EXPECT_EQ(sigismember(&workers, signal), open.count(signal) == 0 ? sigismember(&possible, signal) : 0)
        << "signal " << signal;
  }
}

// Everywhere, so that no host comes to rely on catching it where the pool happens to be busy.
TEST(ThreadPoolDeathTest, ATaskThatThrowsEndsTheProcess) {
  if (emulated()) GTEST_SKIP() << "qemu-user does not start itself anew";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto throws = [](void*, std::size_t) { throw 1; };
  const auto ended = ::testing::KilledBySignal(SIGABRT);
  for (const std::size_t threads : {1, 2}) {
    const auto in_the_caller = [&] {
      try {
        make_thread_pool(threads)->parallel_for(1, throws, nullptr);
      } catch (int) {
      }
    };
    EXPECT_EXIT(in_the_caller(), ended, "") << threads << " threads";
  }
  EXPECT_EXIT(run_on_worker(*make_thread_pool(2), [] { throw 1; }), ended, "");
}

TEST(ThreadPool, AForkedChildComputesTheSameBits) {
  if (kThreadSanitizer) GTEST_SKIP() << "fork() with threads is more than ThreadSanitizer follows";
  if (emulated()) GTEST_SKIP() << "qemu-user does not promise fork() beside threads";
  const BlockCase block = random_block(200, 300);
  const FeedForward ff(200, 300, block.weights(), two_threads());
  const std::vector<float> x = random_floats(40 * 200, 1);
  const std::vector<float> expected = forward(ff, x, 40);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);  // a hang ends as a signal, which the parent reports
    const bool old_object = same_bits(forward(ff, x, 40), expected);
    const FeedForward fresh(200, 300, block.weights(), two_threads());
    const bool new_object = same_bits(forward(fresh, x, 40), expected);
    _exit(old_object && new_object ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  EXPECT_TRUE(same_bits(forward(ff, x, 40), expected)) << "the parent's pool still works";
}

// The child has no copy of the thread that was making a pool, but must not wait for what that one held. Starting 31
// workers takes long enough for nearly every fork() to meet it.
TEST(ThreadPool, AChildForkedWhileAnotherThreadMakesAPoolMakesItsOwn) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "GCC 12's AddressSanitizer leaves its allocator's lock taken in such a child";
#endif
  if (kThreadSanitizer) GTEST_SKIP() << "fork() with threads is more than ThreadSanitizer follows";
  if (emulated()) GTEST_SKIP() << "qemu-user does not promise fork() beside threads";
  const BlockCase block = random_block(16, 16);
  std::atomic<bool> stop{false};
  std::thread maker([&] {
    Options many;
    many.threads = 32;
    while (!stop) FeedForward(16, 16, block.weights(), many);
  });
  int status = 0;
  for (int i = 0; i < 40 && status == 0; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(5);
      FeedForward(16, 16, block.weights(), two_threads());
      _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) status = -1;
  }
  stop = true;
  maker.join();
  EXPECT_EQ(status, 0) << "a child ended otherwise than by _exit(0); status " << SIGALRM << ": it hung";
}

TEST(ThreadPool, MoreThreadsThanAnyMachineIsAnError) {
  EXPECT_THROW(make_thread_pool(4097), InvalidArgument);
  EXPECT_THROW(make_thread_pool(static_cast<std::size_t>(-1)), InvalidArgument);
}

TEST(ThreadPool, TooFewThreadsIsAnErrorNotAHang) {
  if (kThreadSanitizer || emulated()) GTEST_SKIP() << "needs fork() beside threads";
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become a user whose processes can be limited";
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    const rlimit limit{8, 8};
    if (setuid(65534) != 0 || setrlimit(RLIMIT_NPROC, &limit) != 0) _exit(3);
    try {
      make_thread_pool(64);
    } catch (const Unsupported& error) {
      _exit(std::string(error.what()).find("threads = 64") != std::string::npos ? 0 : 1);
    }
    _exit(2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

}  // namespace
}  // namespace swiglu::testing
