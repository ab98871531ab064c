#pragma once

#include <cstddef>
#include <vector>

namespace swiglu::bench {

/// CPUs this process may run on, one per physical core first, their SMT siblings after.
std::vector<int> usable_cpus();

/// How many of usable_cpus() are on different physical cores.
std::size_t physical_cores(const std::vector<int>& cpus);

/// Restricts the calling thread, and threads it creates later, to `cpus`. False if the system refuses.
bool set_affinity(const std::vector<int>& cpus);

/// Restores the calling thread's affinity when the scope ends.
class AffinityScope {
 public:
  explicit AffinityScope(const std::vector<int>& cpus);
  ~AffinityScope();
  AffinityScope(const AffinityScope&) = delete;
  AffinityScope& operator=(const AffinityScope&) = delete;

 private:
  std::vector<int> before_;
};

}  // namespace swiglu::bench
