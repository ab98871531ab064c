#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace swiglu::bench {

/// One sample: calls timed one by one until enough time has passed.
struct Sample {
  double begin = 0;  ///< clock at its start
  double t_min = 0, t_median = 0, t_p90 = 0;
  std::size_t calls = 0;
  long preemptions = 0;  ///< involuntary context switches of the whole process: somebody else wanted the CPUs
};

/// x and y of the calls; both are touched before each call, outside the clock, so that only the weights are cold.
struct CallBuffers {
  const float* x = nullptr;
  float* y = nullptr;
  std::size_t floats = 0;
};
void touch(const CallBuffers& buffers);

/// Untimed calls for at least `settle_seconds` (at least one), then timed ones for `seconds` (at least one). Settling
/// lets the previous arm's workers go to sleep: idle OpenMP workers spin for milliseconds on a core that the next arm
/// needs. Calls below 5 µs are timed several at a time, so that the clock itself (25 ns) does not count.
Sample take_sample(const std::function<void()>& call, const CallBuffers& buffers, double settle_seconds,
                   double seconds);

}  // namespace swiglu::bench
