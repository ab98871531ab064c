#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace swiglu::bench {

/// Threads for the roof probes, one pinned to each CPU; the caller is member 0. Idle members sleep, so that they take
/// nothing from what is measured between two probes. Not the library's pool: a roof must not depend on it.
class Team {
 public:
  explicit Team(std::vector<int> cpus);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  std::size_t size() const { return cpus_.size(); }

  /// work(member) on members 0..n-1 at the same time: all start together (spinning) once all are awake.
  void run(std::size_t n, const std::function<void(std::size_t)>& work);

 private:
  void member(std::size_t index);
  void start_together(std::size_t n);

  std::vector<int> cpus_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::size_t round_ = 0, active_ = 0, finished_ = 0;
  bool stop_ = false;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::atomic<std::size_t> arrived_{0};
};

}  // namespace swiglu::bench
