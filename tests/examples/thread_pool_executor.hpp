#pragma once

// A host with a std::thread pool of its own, here the usual queue. README.md shows the class at the end.

#include <swiglu/executor.h>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <future>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

/// What the host has already: a queue that its threads work off.
class HostPool {
 public:
  explicit HostPool(std::size_t threads) {
    while (threads_.size() < threads) threads_.emplace_back([this] { work(); });
  }
  ~HostPool() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;

  std::size_t size() const noexcept { return threads_.size(); }

  std::future<void> submit(std::function<void()> function) {
    std::packaged_task<void()> job(std::move(function));
    std::future<void> done = job.get_future();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      jobs_.push(std::move(job));
    }
    wake_.notify_one();
    return done;
  }

 private:
  void work() {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      std::packaged_task<void()> job = std::move(jobs_.front());
      jobs_.pop();
      lock.unlock();
      job();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::queue<std::packaged_task<void()>> jobs_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

class ThreadPoolExecutor final : public swiglu::Executor {
 public:
  explicit ThreadPoolExecutor(HostPool& pool) : pool_(pool) {}
  std::size_t concurrency() const noexcept override { return pool_.size() + 1; }  // the calling thread works, too
  void parallel_for(std::size_t count, Task task, void* context) override {
    std::vector<std::future<void>> others;
    for (std::size_t i = 1; i < count; ++i) others.push_back(pool_.submit([=] { task(context, i); }));
    if (count > 0) task(context, 0);
    for (std::future<void>& other : others) other.wait();
  }

 private:
  HostPool& pool_;
};
