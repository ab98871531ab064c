#include "support/executors.hpp"

#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "support/random.hpp"

namespace swiglu::testing {

void SequentialExecutor::parallel_for(std::size_t count, Task task, void* context) {
  ++calls_;
  std::vector<std::size_t> order(count);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  if (kind_ == Kind::random) {
    Random random(seed_++);
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  }
  for (std::size_t i : order) task(context, i);
}

void ThreadPerTaskExecutor::parallel_for(std::size_t count, Task task, void* context) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back([=] { task(context, i); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace swiglu::testing
