#include "dispatch/tuning.hpp"

#include <unistd.h>

#include <cstdlib>

#include "swiglu/error.h"

namespace swiglu {
namespace {

using kernels::CacheClass;

constexpr const char* kVariable = "SWIGLU_TUNING";
constexpr const char* kAutomaticName = "automatic";
constexpr const char* kNames[kernels::kCacheClasses] = {"large_l1", "small_l1"};  // indexed by CacheClass

// Zen 4, on which small_l1 was measured, has 32 KiB, as Intel's cores up to Cascade Lake; Zen 5 (large_l1) has 48, as
// Ice Lake and later.
constexpr long kSmallL1 = 32 * 1024;

TuningChoice make_choice(CacheClass caches, const std::string& why) {
  return {caches, to_string(caches) + (" (" + why + ")")};
}

long l1_data_bytes() {
#ifdef _SC_LEVEL1_DCACHE_SIZE  // glibc, which knows it on x86; on AArch64 it says 0
  return sysconf(_SC_LEVEL1_DCACHE_SIZE);
#else
  return 0;
#endif
}

}  // namespace

const char* to_string(CacheClass caches) noexcept { return kNames[static_cast<std::size_t>(caches)]; }

CacheClass cache_class_of(long l1_bytes) {
  return 0 < l1_bytes && l1_bytes <= kSmallL1 ? CacheClass::small_l1 : CacheClass::large_l1;
}

TuningChoice choose_tuning() {
  const char* value = std::getenv(kVariable);
  const std::string name = value == nullptr || *value == '\0' ? kAutomaticName : value;
  for (const CacheClass caches : {CacheClass::large_l1, CacheClass::small_l1}) {
    if (name == to_string(caches)) return make_choice(caches, std::string("forced by ") + kVariable);
  }
  if (name != kAutomaticName) {
    throw InvalidArgument(std::string(kVariable) + " = \"" + name + "\": must be one of " + kAutomaticName + ", " +
                          kNames[0] + ", " + kNames[1]);
  }
  const long l1 = l1_data_bytes();
  return make_choice(cache_class_of(l1), l1 > 0 ? std::to_string(l1 / 1024) + " KiB of L1 data cache"
                                                : "size of the L1 data cache unknown");
}

}  // namespace swiglu
