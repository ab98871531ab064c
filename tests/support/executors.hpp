#pragma once

// Executors that a host might plug in, made to provoke differences.

#include <swiglu/executor.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace swiglu::testing {

/// Tests that fork() beside threads, or run OpenMP (whose runtime is not instrumented), are nothing for it.
#ifdef __SANITIZE_THREAD__
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

/// Runs all tasks one after the other in the calling thread, in reverse or in a random order (another one per call).
class SequentialExecutor final : public Executor {
 public:
  enum class Kind { reverse, random };
  SequentialExecutor(std::size_t concurrency, Kind kind, std::uint64_t seed = 1)
      : concurrency_(concurrency), kind_(kind), seed_(seed) {}

  std::size_t concurrency() const noexcept override { return concurrency_; }
  void parallel_for(std::size_t count, Task task, void* context) override;

  std::size_t calls() const { return calls_; }

 private:
  std::size_t concurrency_;
  Kind kind_;
  std::atomic<std::uint64_t> seed_;
  std::atomic<std::size_t> calls_{0};
};

/// A fresh std::thread per task, all at once.
class ThreadPerTaskExecutor final : public Executor {
 public:
  explicit ThreadPerTaskExecutor(std::size_t concurrency) : concurrency_(concurrency) {}

  std::size_t concurrency() const noexcept override { return concurrency_; }
  void parallel_for(std::size_t count, Task task, void* context) override;

 private:
  std::size_t concurrency_;
};

}  // namespace swiglu::testing
