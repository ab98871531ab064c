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

const char* name_of(CacheClass caches) { return kNames[static_cast<std::size_t>(caches)]; }

TuningChoice make_choice(const kernels::KernelSet& set, CacheClass caches, const std::string& why) {
  return {set.tunings[static_cast<std::size_t>(caches)], name_of(caches) + (" (" + why + ")")};
}

}  // namespace

TuningChoice choose_tuning(const kernels::KernelSet& set) {
  const char* value = std::getenv(kVariable);
  const std::string name = value == nullptr || *value == '\0' ? kAutomaticName : value;
  for (const CacheClass caches : {CacheClass::large_l1, CacheClass::small_l1}) {
    if (name == name_of(caches)) return make_choice(set, caches, std::string("forced by ") + kVariable);
  }
  if (name != kAutomaticName) {
    throw InvalidArgument(std::string(kVariable) + " = \"" + name + "\": must be one of " + kAutomaticName + ", " +
                          kNames[0] + ", " + kNames[1]);
  }
  const long l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE);  // 0 or -1 where the system does not say
  if (l1 <= 0) return make_choice(set, CacheClass::large_l1, "size of the L1 data cache unknown");
  return make_choice(set, l1 <= kSmallL1 ? CacheClass::small_l1 : CacheClass::large_l1,
                     std::to_string(l1 / 1024) + " KiB of L1 data cache");
}

}  // namespace swiglu
