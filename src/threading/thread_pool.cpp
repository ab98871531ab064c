#include "threading/thread_pool.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>

#include "threading/blocked_signals.hpp"

namespace swiglu {
namespace {

using Clock = Patience::Clock;

// Workers stay awake for the time between two calls of a model's layers: waking one takes 30–120 µs in a virtual
// machine.
constexpr std::chrono::milliseconds kAwake{2};

// Then they let others have the CPU. Not at once: beside a busy neighbour a yield costs a time slice, and the next
// phase of a call comes within microseconds.
constexpr std::chrono::microseconds kBeforeYield{50};
constexpr int kLooks = 64;  // between two looks at the clock, a microsecond or so

// A yield lets nobody of lower priority run: a real-time caller on its worker's CPU would wait for ever. So it sleeps,
// once it has waited for longer than any time slice.
constexpr std::chrono::milliseconds kBeforeSleep{20};
constexpr std::chrono::microseconds kSleep{100};

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Looks again and again until condition() or the time is over; returns whether it came true.
template <class Condition>
bool look_until(const Condition& condition, Clock::time_point limit) {
  const Clock::time_point begin = Clock::now();
  while (true) {
    for (int look = 0; look < kLooks; ++look) {
      if (condition()) return true;
      relax();
    }
    const Clock::time_point time = Clock::now();
    if (time >= limit) return false;
    if (time >= begin + kBeforeSleep) {
      std::this_thread::sleep_for(kSleep);
    } else if (time >= begin + kBeforeYield) {
      std::this_thread::yield();
    }
  }
}

/// Linux in a virtual machine likes to wake a thread on the CPU of the one that woke it, since an idle virtual CPU does
/// not look idle to it, and takes milliseconds to correct that. A worker there is only in its caller's way: it moves.
void leave_cpu(int cpu) {
  if (cpu < 0 || sched_getcpu() != cpu) return;
  cpu_set_t allowed, others, now;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  others = allowed;
  CPU_CLR(cpu, &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
  // It stays where it is, but may go anywhere again; unless the host has changed its affinity meanwhile. What is left
  // of that window is the time between these two calls.
  if (sched_getaffinity(0, sizeof now, &now) != 0 || !CPU_EQUAL(&now, &others)) return;
  sched_setaffinity(0, sizeof allowed, &allowed);
}

struct RangeTask {
  Executor::Task task;
  void* context;
  std::size_t first;

  static void run(void* range, std::size_t i) {
    const RangeTask& r = *static_cast<const RangeTask*>(range);
    r.task(r.context, r.first + i);
  }
};

}  // namespace

ThreadPool::ThreadPool(std::size_t workers) {
  threads_.reserve(workers);
  const BlockedSignals blocked;
  try {
    while (threads_.size() < workers) threads_.emplace_back([this] { worker(); });
  } catch (...) {
    stop();
    throw;
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() noexcept {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::run(std::size_t count, Executor::Task task, void* context) noexcept {
  constexpr std::size_t kMost = kNext;
  if (count <= kMost) return run_job(static_cast<std::uint32_t>(count), task, context);
  for (std::size_t first = 0; first < count; first += std::min(kMost, count - first)) {
    RangeTask range{task, context, first};
    run_job(static_cast<std::uint32_t>(std::min(kMost, count - first)), &RangeTask::run, &range);
  }
}

void ThreadPool::run_job(std::uint32_t count, Executor::Task task, void* context) {
  const Clock::time_point begin = Clock::now();
  task_ = task;
  context_ = context;
  callers_cpu_.store(sched_getcpu(), std::memory_order_relaxed);
  done_.store(0, std::memory_order_relaxed);
  // Sequentially consistent with wait_for_work(): either this sees the sleeper, or the sleeper sees the job.
  job_.store(job_of(count), std::memory_order_seq_cst);
  if (count > 1 && sleeping_.load(std::memory_order_seq_cst) > 0) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
    }  // nobody is between its look at the job and its sleep
    wake_.notify_all();
  }
  work_on_job();
  // What is left is in the hands of workers.
  const auto finished = [&] { return done_.load(std::memory_order_acquire) == count; };
  if (finished()) return;
  const Clock::time_point idle = Clock::now();
  look_until(finished, Clock::time_point::max());
  patience_.judge(threads_.size(), begin, idle, Clock::now());
}

void ThreadPool::work_on_job() {
  std::uint64_t job = job_.load(std::memory_order_acquire);
  while (has_work(job)) {
    if (!job_.compare_exchange_weak(job, job + 1, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
    task_(context_, static_cast<std::size_t>(job & kNext));
    done_.fetch_add(1, std::memory_order_release);
    job = job_.load(std::memory_order_acquire);
  }
}

void ThreadPool::worker() {
  do {
    leave_cpu(callers_cpu_.load(std::memory_order_relaxed));
    work_on_job();
  } while (wait_for_work());
}

bool ThreadPool::wait_for_work() {
  const auto wanted = [this] {
    return stopping_.load(std::memory_order_relaxed) || has_work(job_.load(std::memory_order_relaxed));
  };
  if (look_until(wanted, Clock::now() + kAwake)) return !stopping_;
  std::unique_lock<std::mutex> lock(mutex_);
  sleeping_.fetch_add(1, std::memory_order_seq_cst);
  wake_.wait(lock, [this] { return stopping_ || has_work(job_.load(std::memory_order_seq_cst)); });
  sleeping_.fetch_sub(1, std::memory_order_relaxed);
  return !stopping_;
}

}  // namespace swiglu
