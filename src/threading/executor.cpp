// The default executor: a ThreadPool behind the Executor interface; shared, never waited for, safe after fork().

#include <pthread.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include "swiglu/error.h"
#include "threading/shared_thread_pool.hpp"
#include "threading/thread_count.hpp"
#include "threading/thread_pool.hpp"

namespace swiglu {
namespace {

// How often this process is the child of a fork() since the library was loaded. fork() copies only the calling thread:
// a pool made before it has no workers in the child, and waiting for them would hang.
std::atomic<unsigned> fork_generation{0};

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

// The handlers hold the pools' lock across fork(), so that no thread that does not exist in the child has it there.
void watch_forks() {
  static const int registered = pthread_atfork([] { shared_pools().mutex.lock(); },    // before
                                               [] { shared_pools().mutex.unlock(); },  // in the parent
                                               [] {                                    // in the child
                                                 fork_generation.fetch_add(1);
                                                 shared_pools().mutex.unlock();
                                               });
  (void)registered;
}

// noexcept, as ThreadPool::run is: what a task that throws comes to must not depend on how busy the pool is.
void run_serially(std::size_t count, Executor::Task task, void* context) noexcept {
  for (std::size_t i = 0; i < count; ++i) task(context, i);
}

class SerialExecutor final : public Executor {
 public:
  std::size_t concurrency() const noexcept override { return 1; }
  void parallel_for(std::size_t count, Task task, void* context) override { run_serially(count, task, context); }
};

class PoolExecutor final : public Executor {
 public:
  explicit PoolExecutor(std::size_t threads) : threads_(threads), generation_(fork_generation.load()) {
    try {
      pool_ = std::make_unique<ThreadPool>(threads - 1);
    } catch (const std::system_error& error) {  // RLIMIT_NPROC, a cgroup's pids.max
      throw Unsupported("threads = " + std::to_string(threads) + ": the system does not let this process start " +
                        std::to_string(threads - 1) + " more (" + error.what() +
                        "); ask for fewer, or raise the limit");
    }
  }
  ~PoolExecutor() override {
    // In a forked child the workers do not exist; joining them would hang, so the pool is left to the process's end.
    if (forked()) static_cast<void>(pool_.release());
  }
  PoolExecutor(const PoolExecutor&) = delete;
  PoolExecutor& operator=(const PoolExecutor&) = delete;

  std::size_t concurrency() const noexcept override { return forked() ? 1 : threads_; }

  void parallel_for(std::size_t count, Task task, void* context) override {
    // A second caller at the same time does its work itself: it never waits for the first, and callers never multiply
    // threads. Same bits, since results do not depend on who computes what.
    if (forked() || !pool_->worth_a_try() || busy_.exchange(true, std::memory_order_acquire)) {
      run_serially(count, task, context);
      return;
    }
    pool_->run(count, task, context);
    busy_.store(false, std::memory_order_release);
  }

 private:
  bool forked() const noexcept { return fork_generation.load(std::memory_order_relaxed) != generation_; }

  std::size_t threads_;
  unsigned generation_;
  std::unique_ptr<ThreadPool> pool_;
  std::atomic<bool> busy_{false};
};

}  // namespace

Executor::~Executor() = default;

std::shared_ptr<Executor> make_thread_pool(std::size_t threads) {
  if (threads > kMaxThreads) {
    throw InvalidArgument("threads = " + std::to_string(threads) + ": must be at most " + std::to_string(kMaxThreads) +
                          " (0 = default_thread_count())");
  }
  if (threads == 0) threads = default_thread_count();
  if (threads == 1) return std::make_shared<SerialExecutor>();
  watch_forks();
  return std::make_shared<PoolExecutor>(threads);
}

std::shared_ptr<Executor> shared_thread_pool(std::size_t threads) {
  if (threads == 0) threads = default_thread_count();
  watch_forks();  // not under the lock, which its handlers take
  SharedPools& pools = shared_pools();
  const std::lock_guard<std::mutex> lock(pools.mutex);
  // A forked child gets pools of its own: those of its parent have no workers there.
  std::weak_ptr<Executor>& known = pools.by_threads_and_generation[{threads, fork_generation.load()}];
  std::shared_ptr<Executor> pool = known.lock();
  if (!pool) known = pool = make_thread_pool(threads);
  return pool;
}

}  // namespace swiglu
