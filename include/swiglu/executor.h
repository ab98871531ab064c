#pragma once

#include <cstddef>
#include <memory>

#include "swiglu/export.h"

namespace swiglu {

/// Where parallel work runs. A host that has its own threads implements these two functions (about ten lines) and
/// passes the object in Options::executor; otherwise all objects of the process that ask for the same Options::threads
/// share one pool. Its threads start when the first of these objects is created (packing runs on them, and forward()
/// may not allocate) and end with the last. Options::threads == 1 or an executor: no thread is created at all.
///
/// Results never depend on it: any number of threads, any order of tasks, even one after the other in the calling
/// thread, gives the same bits (contract C2).
class SWIGLU_API Executor {
 public:
  using Task = void (*)(void* context, std::size_t index);

  virtual ~Executor();

  /// Upper bound of tasks that run at the same time, 1..4096. The driver starts at most that many, and every call's
  /// workspace has a part for each.
  virtual std::size_t concurrency() const noexcept = 0;

  /// Calls task(context, i) once for every i in [0, count), in any order, on any threads, and returns after the last
  /// has returned; everything the tasks wrote is then visible to the caller. Tasks do not throw. May be called from
  /// several threads at once.
  virtual void parallel_for(std::size_t count, Task task, void* context) = 0;
};

/// A pool of `threads` threads (the caller's counts as one; 0 = default_thread_count()). Idle workers sleep.
/// `threads` == 1 creates no thread at all. While one caller uses the pool, another does its work alone, in its own
/// thread: callers never wait for each other and never multiply threads. After fork(), the child runs its calls in the
/// calling thread. Its threads block all signals but those of faults (SIGSEGV, …) and SIGPROF. A task that throws ends
/// the process (std::terminate), on whichever thread it runs.
/// Throws InvalidArgument for more than 4096, Unsupported if the system does not let that many threads start.
SWIGLU_API std::shared_ptr<Executor> make_thread_pool(std::size_t threads = 0);

/// min(CPUs in the affinity mask, smallest cgroup v1/v2 CPU quota on the path, rounded up), at least 1.
SWIGLU_API std::size_t default_thread_count();

}  // namespace swiglu
