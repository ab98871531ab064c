#pragma once

// Which tuning of a kernel set this machine gets: a question of speed, never of results.

#include <string>

#include "kernels/kernel_set.hpp"

namespace swiglu {

struct TuningChoice {
  const kernels::Tuning& tuning;
  std::string why;  ///< for people: "small_l1 (32 KiB of L1 data cache)"
};

/// By the size of the L1 data cache, unless SWIGLU_TUNING names one of large_l1 and small_l1. By cache and not by CPU
/// model: the next CPU has a size, too. Throws InvalidArgument if the variable names something else.
TuningChoice choose_tuning(const kernels::KernelSet& set);

}  // namespace swiglu
