// The default executor: pthreadpool behind the Executor interface.

#include <pthread.h>
#include <pthreadpool.h>

#include <atomic>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "swiglu/error.h"
#include "threading/shared_thread_pool.hpp"

namespace swiglu {
namespace {

// How often this process is the child of a fork() since the library was loaded. fork() copies only the calling thread:
// a pool made before it has no workers in the child, and waiting for them would hang.
std::atomic<unsigned> fork_generation{0};

void watch_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { fork_generation.fetch_add(1); });
  (void)registered;
}

void run_serially(std::size_t count, Executor::Task task, void* context) {
  for (std::size_t i = 0; i < count; ++i) task(context, i);
}

class SerialExecutor final : public Executor {
 public:
  std::size_t concurrency() const noexcept override { return 1; }
  void parallel_for(std::size_t count, Task task, void* context) override { run_serially(count, task, context); }
};

// pthreadpool takes no notice of a pthread_create that fails (RLIMIT_NPROC, a cgroup's pids.max) and then waits for
// ever for the worker. So the threads are started once on trial, all alive at the same time.
void check_that_threads_start(std::size_t count) {
  std::mutex gate;
  std::vector<std::thread> trial;
  trial.reserve(count);
  std::string failure;
  {
    const std::lock_guard<std::mutex> closed(gate);
    try {
      while (trial.size() < count) trial.emplace_back([&gate] { const std::lock_guard<std::mutex> passed(gate); });
    } catch (const std::system_error& error) {
      failure = error.what();
    }
  }
  for (std::thread& thread : trial) thread.join();
  if (!failure.empty()) {
    throw Unsupported("threads = " + std::to_string(count + 1) + ": the system lets this process start only " +
                      std::to_string(trial.size()) + " more (" + failure + "); ask for fewer, or raise the limit");
  }
}

class PoolExecutor final : public Executor {
 public:
  explicit PoolExecutor(std::size_t threads) : generation_(fork_generation.load()) {
    check_that_threads_start(threads - 1);
    pool_ = pthreadpool_create(threads);
    if (pool_ == nullptr) throw std::bad_alloc();
    threads_ = pthreadpool_get_threads_count(pool_);
  }
  ~PoolExecutor() override {
    // In a forked child the workers do not exist; joining them would hang, so the pool is left to the process's end.
    if (!forked()) pthreadpool_destroy(pool_);
  }
  PoolExecutor(const PoolExecutor&) = delete;
  PoolExecutor& operator=(const PoolExecutor&) = delete;

  std::size_t concurrency() const noexcept override { return forked() ? 1 : threads_; }

  void parallel_for(std::size_t count, Task task, void* context) override {
    // A second caller at the same time does its work itself: it never waits for the first, and callers never multiply
    // threads. Same bits, since results do not depend on who computes what.
    if (forked() || busy_.exchange(true, std::memory_order_acquire)) {
      run_serially(count, task, context);
      return;
    }
    pthreadpool_parallelize_1d(pool_, task, context, count, 0);
    busy_.store(false, std::memory_order_release);
  }

 private:
  bool forked() const noexcept { return fork_generation.load(std::memory_order_relaxed) != generation_; }

  unsigned generation_;
  pthreadpool_t pool_ = nullptr;
  std::size_t threads_ = 1;
  std::atomic<bool> busy_{false};
};

// The pools that shared_thread_pool() has handed out and that still live. Never destroyed: objects may be released
// after the static destructors ran.
struct SharedPools {
  std::mutex mutex;
  std::map<std::pair<std::size_t, unsigned>, std::weak_ptr<Executor>> by_threads_and_generation;
};

SharedPools& shared_pools() {
  static auto* pools = new SharedPools;
  return *pools;
}

}  // namespace

Executor::~Executor() = default;

std::shared_ptr<Executor> make_thread_pool(std::size_t threads) {
  if (threads == 0) threads = default_thread_count();
  if (threads == 1) return std::make_shared<SerialExecutor>();
  watch_forks();
  return std::make_shared<PoolExecutor>(threads);
}

std::shared_ptr<Executor> shared_thread_pool(std::size_t threads) {
  if (threads == 0) threads = default_thread_count();
  SharedPools& pools = shared_pools();
  const std::lock_guard<std::mutex> lock(pools.mutex);
  // A forked child gets pools of its own: those of its parent have no workers there.
  std::weak_ptr<Executor>& known = pools.by_threads_and_generation[{threads, fork_generation.load()}];
  std::shared_ptr<Executor> pool = known.lock();
  if (!pool) known = pool = make_thread_pool(threads);
  return pool;
}

}  // namespace swiglu
