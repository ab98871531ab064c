#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>

namespace swiglu {

/// When to do without workers. A worker that the system suspends while it holds a task (a neighbour wants its CPU)
/// makes the caller wait for time slices, some 4 ms. One such stall costs a pause as long as itself; a neighbour that
/// stays, a try now and then, at last ten a second. 2048/5632 at T = 1, 2 threads, a process spinning on one of two
/// cores: 4.5 ms a call without pauses; one thread alone takes 3.0.
class Patience {
 public:
  using Clock = std::chrono::steady_clock;

  bool worth_a_try(Clock::time_point time) const { return time.time_since_epoch().count() >= retry_at_.load(kRelaxed); }

  /// A call beside `workers` workers that began at `begin`; the caller had no task left at `idle`, the last worker's
  /// ended at `end`. Not for two threads at once.
  void judge(std::size_t workers, Clock::time_point begin, Clock::time_point idle, Clock::time_point end) {
    // Uneven tasks are no stall. If workers did half of what the caller did each, it would have been faster alone.
    const Clock::duration waited = end - idle, gained = (idle - begin) * static_cast<Clock::rep>(workers) / 2;
    if (waited < kShortWait || waited < gained) return;
    const Clock::time_point last_retry{Clock::duration(retry_at_.load(kRelaxed))};
    const bool again = end - last_retry < std::max(pause_, kSoon);
    pause_ = std::min(again ? 4 * std::max(pause_, waited) : waited, kLongestPause);
    retry_at_.store((end + pause_).time_since_epoch().count(), kRelaxed);
  }

 private:
  static constexpr auto kRelaxed = std::memory_order_relaxed;
  static constexpr Clock::duration kShortWait = std::chrono::microseconds(500);
  static constexpr Clock::duration kSoon = std::chrono::milliseconds(20);  // some time slices
  static constexpr Clock::duration kLongestPause = std::chrono::milliseconds(100);

  std::atomic<Clock::rep> retry_at_{0};
  Clock::duration pause_{0};
};

}  // namespace swiglu
