#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "health.hpp"
#include "implementations/implementation.hpp"

namespace swiglu::bench {

/// One sample: calls timed one by one until enough time has passed.
struct Sample {
  double begin = 0;  ///< clock at its start
  double t_min = 0, t_median = 0, t_p90 = 0;
  std::size_t calls = 0;
  Health health;
  bool has_phases = false;
  Phases phases;  ///< medians over its calls
};

/// x and y of the calls; both are touched before each call, outside the clock, so that only the weights are cold.
struct CallBuffers {
  const float* x = nullptr;
  float* y = nullptr;
  std::size_t floats = 0;
  std::size_t stride = 0;  ///< floats between the buffers of one window and the next; 0 = all windows share one
};
void touch(const CallBuffers& buffers);

/// Untimed calls for at least `settle_seconds` (none if that is 0), which bring code, x, y and sleeping workers back,
/// then timed ones for `seconds` (at least one). Calls below 5 µs are timed several at a time, so that the clock itself
/// (25 ns) does not count. `phases`, if not null, is read after each timed call.
Sample take_sample(const std::function<void()>& call, const CallBuffers& buffers, double settle_seconds, double seconds,
                   const Phases* phases = nullptr);

}  // namespace swiglu::bench
