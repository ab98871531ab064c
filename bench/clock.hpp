#pragma once

#include <chrono>

namespace swiglu::bench {

/// Wall time in seconds. Never CPU time: that of one thread makes rates of several threads too high.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace swiglu::bench
