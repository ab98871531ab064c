#pragma once

// Which tuning of a kernel set this machine gets: a question of speed, never of results.

#include <string>

#include "kernels/kernel_set.hpp"

namespace swiglu {

/// "large_l1" or "small_l1".
const char* to_string(kernels::CacheClass caches) noexcept;

struct TuningChoice {
  kernels::CacheClass caches;
  std::string why;  ///< for people: "small_l1 (32 KiB of L1 data cache)"

  const kernels::Tuning& of(const kernels::KernelSet& set) const {
    return set.tunings[static_cast<std::size_t>(caches)];
  }
};

/// By the size of the L1 data cache, unless SWIGLU_TUNING names one of large_l1 and small_l1. By cache and not by CPU
/// model: the next CPU has a size, too. Throws InvalidArgument if the variable names something else.
TuningChoice choose_tuning();

/// `l1_bytes` ≤ 0: the system does not say.
kernels::CacheClass cache_class_of(long l1_bytes);

}  // namespace swiglu
