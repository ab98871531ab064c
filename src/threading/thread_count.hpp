#pragma once

#include <cstddef>
#include <string>

namespace swiglu {

/// Upper bound of threads and of Executor::concurrency().
inline constexpr std::size_t kMaxThreads = 4096;

/// CPUs allowed by the smallest CPU quota on the way from this process's cgroup to the root, v1 and v2, rounded up;
/// 0 = no limit found. `cgroup_file` is /proc/self/cgroup, `mount` is /sys/fs/cgroup (parameters for tests). Text that
/// is not a quota is ignored.
std::size_t cgroup_cpu_limit(const std::string& cgroup_file, const std::string& mount);

}  // namespace swiglu
