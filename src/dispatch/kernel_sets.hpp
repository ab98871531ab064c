#pragma once

// The kernel sets compiled into this library, and the one way to get at them.

#include "kernels/kernel_set.hpp"

namespace swiglu {

/// The kernel set of `isa`, which must come from resolve_isa(). Defined in dispatch/isa.cpp from the list of compiled
/// sets; each kernels/kernels_<isa>.cpp defines one constant-initialised `kernels::kKernelSet_<isa>`.
const kernels::KernelSet& kernel_set(Isa isa);

}  // namespace swiglu
