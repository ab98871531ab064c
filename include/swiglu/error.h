#pragma once

#include <stdexcept>

#include "swiglu/export.h"

namespace swiglu {

/// A bad argument. what() names the argument, the value it had, and what would be right. Thrown before any work is
/// done: outputs and workspace are untouched.
class SWIGLU_API InvalidArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A valid request that this build or this machine cannot serve (an ISA the CPU lacks, a backend that was not built).
/// what() says which and lists what is available. There is never a silent fallback.
class SWIGLU_API Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace swiglu
