#include "caches.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace swiglu::bench {
namespace {

std::size_t from_sysfs() {
  std::size_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    std::size_t value = 0;
    char unit = 0;
    if (!(file >> value)) continue;
    file >> unit;
    largest = std::max(largest, value << (unit == 'M' ? 20 : unit == 'K' ? 10 : 0));
  }
  return largest;
}

std::size_t from_cpuid() {
  std::size_t largest = 0;
#if defined(__x86_64__)
  for (const unsigned leaf : {4u, 0x8000001Du}) {
    for (unsigned sub = 0; sub < 8; ++sub) {
      unsigned a = 0, b = 0, c = 0, d = 0;
      if (__get_cpuid_count(leaf, sub, &a, &b, &c, &d) == 0 || (a & 31) == 0) break;
      const std::size_t ways = (b >> 22) + 1, partitions = ((b >> 12) & 0x3ff) + 1, line = (b & 0xfff) + 1;
      largest = std::max(largest, ways * partitions * line * (std::size_t{c} + 1));
    }
  }
#endif
  return largest;
}

std::size_t from_sysconf() {
  long largest = 0;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  for (const int name : {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) largest = std::max(largest, sysconf(name));
#endif
  return static_cast<std::size_t>(largest);
}

}  // namespace

std::size_t ReportedCaches::usable() const {
  if (const std::size_t size = std::max(sysfs, cpuid); size > 0) return size;
  return sysconf > 0 ? sysconf : std::size_t{32} << 20;
}

const char* ReportedCaches::usable_source() const {
  if (std::max(sysfs, cpuid) > 0) return sysfs >= cpuid ? "sysfs" : "cpuid";
  return sysconf > 0 ? "sysconf" : "assumed";
}

ReportedCaches reported_caches() { return {from_sysfs(), from_cpuid(), from_sysconf()}; }

}  // namespace swiglu::bench
