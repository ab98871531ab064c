#pragma once

#include <gtest/gtest.h>
#include <swiglu/executor.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace swiglu::testing {

/// Calls f on a worker of `pool`, one of make_thread_pool() that is not in use.
inline void run_on_worker(Executor& pool, const std::function<void()>& f) {
  struct State {
    const std::function<void()>& f;
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<bool> begun{false}, done{false};
  } state{f};
  // While the caller waits in one of the tasks, a worker takes the other.
  pool.parallel_for(
      2,
      [](void* context, std::size_t) {
        State& s = *static_cast<State*>(context);
        if (std::this_thread::get_id() == s.caller) {
          const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
          while (!s.done && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
        } else if (!s.begun.exchange(true)) {
          s.f();
          s.done = true;
        }
      },
      &state);
  ASSERT_TRUE(state.done) << "no worker came within 20 s";
}

}  // namespace swiglu::testing
