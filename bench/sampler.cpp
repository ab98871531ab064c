#include "sampler.hpp"

#include <sys/resource.h>

#include "clock.hpp"
#include "stats.hpp"

namespace swiglu::bench {

namespace {

long involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

void touch(const CallBuffers& buffers) {
  for (std::size_t i = 0; i < buffers.floats; i += 16) {
    const volatile float x = buffers.x[i];
    volatile float* y = buffers.y + i;
    *y = x;
  }
}

Sample take_sample(const std::function<void()>& call, const CallBuffers& buffers, double settle_seconds,
                   double seconds) {
  constexpr double kShortCall = 5e-6;
  double last = 0;
  const double settle_begin = now();
  do {
    const double begin = now();
    call();
    last = now() - begin;
  } while (now() - settle_begin < settle_seconds);
  const std::size_t batch = last < kShortCall ? 16 : 1;

  Sample sample;
  std::vector<double> times;
  double total = 0;
  const long switches = involuntary_switches();
  sample.begin = now();
  while (total < seconds) {
    touch(buffers);
    const double begin = now();
    for (std::size_t i = 0; i < batch; ++i) call();
    const double elapsed = now() - begin;
    total += elapsed;
    times.push_back(elapsed / static_cast<double>(batch));
  }
  sample.preemptions = involuntary_switches() - switches;
  sample.calls = times.size() * batch;
  sample.t_min = quantile(times, 0);
  sample.t_median = median(times);
  sample.t_p90 = quantile(times, 0.9);
  return sample;
}

}  // namespace swiglu::bench
