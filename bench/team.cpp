#include "team.hpp"

#include "cpus.hpp"

namespace swiglu::bench {

Team::Team(std::vector<int> cpus) : cpus_(std::move(cpus)) {
  for (std::size_t i = 1; i < cpus_.size(); ++i) threads_.emplace_back([this, i] { member(i); });
}

Team::~Team() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void Team::start_together(std::size_t n) {
  arrived_.fetch_add(1);
  while (arrived_.load() < n) {
  }
}

void Team::run(std::size_t n, const std::function<void(std::size_t)>& work) {
  const AffinityScope pinned({cpus_.front()});
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    work_ = &work;
    active_ = n;
    finished_ = 0;
    arrived_ = 0;
    ++round_;
  }
  if (n > 1) wake_.notify_all();
  start_together(n);
  work(0);
  std::unique_lock<std::mutex> lock(mutex_);
  done_.wait(lock, [&] { return finished_ == n - 1; });
}

void Team::member(std::size_t index) {
  set_affinity({cpus_[index]});
  std::size_t seen = 0;
  for (;;) {
    std::size_t n;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [&] { return stop_ || round_ != seen; });
      if (stop_) return;
      seen = round_;
      n = active_;
      if (index >= n) continue;
    }
    start_together(n);
    (*work_)(index);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++finished_;
    }
    done_.notify_one();
  }
}

}  // namespace swiglu::bench
