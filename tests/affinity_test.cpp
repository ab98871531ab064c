// A worker that woke on its caller's CPU moves away by way of its affinity: afterwards that is what it was, or what the
// host made of it meanwhile. This executable replaces sched_getcpu and sched_setaffinity, so that a worker believes to
// be on that CPU, and that a host comes between.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <swiglu/executor.h>

#include <atomic>
#include <functional>

#include "support/run_on_worker.hpp"

namespace {

std::atomic<int> everybodys_cpu{-1};  // -1: the true one
std::atomic<bool> host_comes_between{false};
std::atomic<int> moves{0};

template <class F>
F next(F, const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

bool equal(const cpu_set_t& a, const cpu_set_t& b) { return CPU_EQUAL(&a, &b); }

cpu_set_t only(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return set;
}

cpu_set_t affinity() {
  cpu_set_t set;
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  return set;
}

}  // namespace

extern "C" {
int sched_getcpu() noexcept {
  static const auto real = next(static_cast<int (*)()>(&sched_getcpu), "sched_getcpu");
  const int cpu = everybodys_cpu;
  return cpu >= 0 ? cpu : real();
}

int sched_setaffinity(pid_t thread, std::size_t size, const cpu_set_t* set) noexcept {
  static const auto real =
      next(static_cast<int (*)(pid_t, std::size_t, const cpu_set_t*)>(&sched_setaffinity), "sched_setaffinity");
  const int result = real(thread, size, set);
  const int cpu = everybodys_cpu;
  if (cpu >= 0 && !CPU_ISSET(cpu, set)) {
    ++moves;
    if (host_comes_between.exchange(false)) {
      const cpu_set_t hosts = only(cpu);
      real(thread, sizeof hosts, &hosts);
    }
  }
  return result;
}
}  // extern "C"

namespace swiglu::testing {
namespace {

class Affinity : public ::testing::Test {
 protected:
  void SetUp() override {
    if (CPU_COUNT(&before_) < 2) GTEST_SKIP() << "needs two CPUs: from one, no worker moves away";
    while (!CPU_ISSET(cpu_, &before_)) ++cpu_;
    everybodys_cpu = cpu_;
    moves = 0;
  }
  void TearDown() override { everybodys_cpu = -1; }

  /// The worker's, after it has moved away from the caller's CPU.
  cpu_set_t workers_affinity_after_a_move() {
    const auto pool = make_thread_pool(2);
    cpu_set_t set;
    CPU_ZERO(&set);
    // A worker that has just started takes its first task where it is.
    for (int call = 0; call < 10 && moves == 0; ++call) run_on_worker(*pool, [&] { set = affinity(); });
    EXPECT_EQ(moves, 1);
    return set;
  }

  const cpu_set_t before_ = affinity();
  int cpu_ = 0;
};

TEST_F(Affinity, IsTheSameAfterAMove) { EXPECT_TRUE(equal(workers_affinity_after_a_move(), before_)); }

TEST_F(Affinity, IsTheHostsIfItComesBetween) {
  host_comes_between = true;
  EXPECT_TRUE(equal(workers_affinity_after_a_move(), only(cpu_)));
}

}  // namespace
}  // namespace swiglu::testing
