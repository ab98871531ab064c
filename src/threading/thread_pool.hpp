#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "swiglu/executor.h"
#include "threading/patience.hpp"

namespace swiglu {

/// Threads that help one caller at a time. The caller takes tasks like everybody else and waits only for tasks that a
/// worker has begun, never for a worker itself: one that the system does not run (a neighbour has its CPU, it woke on
/// the caller's CPU) costs nothing. pthreadpool waits for every worker to report: 2048/5632 at T = 1 with a spinning
/// process on one of two cores took 6–16 ms a call, alone 3 ms; and until the system had spread new threads over the
/// CPUs, empty calls of 8 ms were seen on a quiet machine.
class ThreadPool {
 public:
  /// Starts `workers` threads. Throws std::system_error if the system refuses one; then none is left.
  explicit ThreadPool(std::size_t workers);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Whether run() is likely to be faster than the caller alone: false for a while after workers kept it waiting.
  bool worth_a_try() const { return patience_.worth_a_try(Patience::Clock::now()); }

  /// Executor::parallel_for, but not from two threads at once. No allocation; a lock only to wake workers that sleep.
  /// noexcept: a task that throws ends the process, in the caller as it must in a worker. Unwinding the caller would
  /// leave workers with a task whose context is gone.
  void run(std::size_t count, Executor::Task task, void* context) noexcept;

 private:
  // Tasks of the current job, in one word: a claim is then valid for the job it was made on, however late the worker
  // is.
  static constexpr std::uint64_t job_of(std::uint64_t count) { return count << 32; }
  static bool has_work(std::uint64_t job) { return (job & kNext) < (job >> 32); }
  static constexpr std::uint64_t kNext = 0xffffffff;

  void run_job(std::uint32_t count, Executor::Task task, void* context);
  void work_on_job();
  void worker();
  bool wait_for_work();  // false: the pool ends
  void stop() noexcept;

  // Written by the caller before the job is published. Read only after a claim, and the caller waits for claimed tasks.
  Executor::Task task_ = nullptr;
  void* context_ = nullptr;
  std::atomic<int> callers_cpu_{-1};

  alignas(64) std::atomic<std::uint64_t> job_{0};  // count << 32 | next task
  alignas(64) std::atomic<std::uint32_t> done_{0};
  alignas(64) std::atomic<std::size_t> sleeping_{0};
  std::atomic<bool> stopping_{false};
  Patience patience_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::thread> threads_;
};

}  // namespace swiglu
