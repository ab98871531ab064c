#pragma once

#include <cstddef>

namespace swiglu::bench {

/// The last-level cache as three sources report it, bytes; 0 = no answer. They disagree in virtual machines.
struct ReportedCaches {
  std::size_t sysfs = 0;
  std::size_t cpuid = 0;
  std::size_t sysconf = 0;

  /// The size to rotate weights over: what sysfs and CPUID say of the cache that this CPU reaches. sysconf alone may
  /// mean all sockets' caches together (seen: 384 MiB where a core reaches 32), so it counts only without the others.
  std::size_t usable() const;
  const char* usable_source() const;  ///< "sysfs", "cpuid", "sysconf" or "assumed"
};

ReportedCaches reported_caches();

}  // namespace swiglu::bench
