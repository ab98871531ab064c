#pragma once

// A host whose threads are OpenMP's. README.md shows this class.

#include <omp.h>
#include <swiglu/executor.h>

class OpenMpExecutor final : public swiglu::Executor {
 public:
  std::size_t concurrency() const noexcept override { return threads_; }
  void parallel_for(std::size_t count, Task task, void* context) override {
#pragma omp parallel for schedule(dynamic, 1) num_threads(static_cast<int>(threads_))
    for (std::size_t i = 0; i < count; ++i) task(context, i);
  }

 private:
  const std::size_t threads_ = static_cast<std::size_t>(omp_get_max_threads());
};
