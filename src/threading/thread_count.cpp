#include "threading/thread_count.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "swiglu/executor.h"

namespace swiglu {
namespace {

void take_limit(long long quota, long long period, std::size_t* limit) {
  if (quota <= 0 || period <= 0) return;  // v1 writes -1 for "no limit"; 0 is not a quota the kernel accepts
  const auto cpus = static_cast<std::size_t>(quota / period + (quota % period != 0));
  *limit = *limit == 0 ? cpus : std::min(*limit, cpus);
}

bool read_number(const std::string& path, long long* value) {
  std::ifstream file(path);
  return static_cast<bool>(file >> *value);
}

// v2: cpu.max holds "QUOTA PERIOD" or "max PERIOD".
void read_v2(const std::string& folder, std::size_t* limit) {
  std::ifstream file(folder + "/cpu.max");
  long long quota = 0, period = 0;
  if (file >> quota >> period) take_limit(quota, period, limit);
}

void read_v1(const std::string& folder, std::size_t* limit) {
  long long quota = 0, period = 0;
  if (read_number(folder + "/cpu.cfs_quota_us", &quota) && read_number(folder + "/cpu.cfs_period_us", &period)) {
    take_limit(quota, period, limit);
  }
}

// The folders of path "/a/b": "/a/b", "/a", "" (a limit on any of them binds).
template <class Read>
void walk_up(const std::string& mount, std::string path, Read read, std::size_t* limit) {
  while (true) {
    while (!path.empty() && path.back() == '/') path.pop_back();
    read(mount + path, limit);
    if (path.empty()) return;
    path.resize(path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
  }
}

std::size_t affinity_count() {
  // The mask of a machine with more than 1024 CPUs does not fit cpu_set_t: grow until the kernel is content.
  for (std::size_t cpus = 1024; cpus <= (1u << 20); cpus *= 2) {
    std::vector<unsigned long> mask(cpus / (8 * sizeof(unsigned long)));
    auto* set = reinterpret_cast<cpu_set_t*>(mask.data());
    if (sched_getaffinity(0, cpus / 8, set) == 0) return static_cast<std::size_t>(CPU_COUNT_S(cpus / 8, set));
  }
  return std::thread::hardware_concurrency();
}

}  // namespace

std::size_t cgroup_cpu_limit(const std::string& cgroup_file, const std::string& mount) {
  std::size_t limit = 0;
  std::ifstream file(cgroup_file);
  std::string line;
  while (std::getline(file, line)) {  // ID:controllers:/path
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") {
      walk_up(mount, path, read_v2, &limit);
    } else if (controllers.find(",cpu,") != std::string::npos) {
      walk_up(mount + "/cpu", path, read_v1, &limit);
      walk_up(mount + "/cpu,cpuacct", path, read_v1, &limit);
    }
  }
  return limit;
}

std::size_t default_thread_count() {
  const std::size_t cpus = std::max<std::size_t>(1, affinity_count());
  const std::size_t limit = cgroup_cpu_limit("/proc/self/cgroup", "/sys/fs/cgroup");
  return limit == 0 ? cpus : std::min(cpus, limit);
}

}  // namespace swiglu
