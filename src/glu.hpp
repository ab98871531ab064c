#pragma once

#include "kernels/kernel_set.hpp"
#include "swiglu/activation.h"

namespace swiglu {

/// The kernel of `set` that computes a (validated) activation, and its parameters.
kernels::Glu bind_glu(const kernels::KernelSet& set, const Activation& activation);

}  // namespace swiglu
