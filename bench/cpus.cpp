#include "cpus.hpp"

#include <sched.h>

#include <fstream>
#include <set>
#include <string>

namespace swiglu::bench {
namespace {

std::vector<int> affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

/// The same text for all CPUs of one core; the CPU's own number where the system does not say.
std::string core_of(int cpu) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
  std::string text;
  if (!std::getline(file, text)) text = "cpu" + std::to_string(cpu);
  return text;
}

}  // namespace

std::vector<int> usable_cpus() {
  std::vector<int> first, siblings;
  std::set<std::string> cores;
  for (const int cpu : affinity()) (cores.insert(core_of(cpu)).second ? first : siblings).push_back(cpu);
  first.insert(first.end(), siblings.begin(), siblings.end());
  return first;
}

std::size_t physical_cores(const std::vector<int>& cpus) {
  std::set<std::string> cores;
  for (const int cpu : cpus) cores.insert(core_of(cpu));
  return cores.size();
}

bool set_affinity(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    if (cpu < 0 || cpu >= CPU_SETSIZE) return false;
    CPU_SET(cpu, &set);
  }
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

AffinityScope::AffinityScope(const std::vector<int>& cpus) : before_(affinity()) { set_affinity(cpus); }
AffinityScope::~AffinityScope() { set_affinity(before_); }

}  // namespace swiglu::bench
