#include "sampler.hpp"

#include <algorithm>

#include "clock.hpp"
#include "stats.hpp"

namespace swiglu::bench {

namespace {

Phases medians(const std::vector<Phases>& calls) {
  const auto middle = [&](double Phases::* part) {
    std::vector<double> values;
    for (const Phases& call : calls) values.push_back(call.*part);
    return median(values);
  };
  return {middle(&Phases::gate_up), middle(&Phases::activation), middle(&Phases::down)};
}

}  // namespace

void touch(const CallBuffers& buffers) {
  if (buffers.stride > 0) return;  // they are to be cold
  for (std::size_t i = 0; i < buffers.floats; i += 16) {
    const volatile float x = buffers.x[i];
    volatile float* y = buffers.y + i;
    *y = x;
  }
}

Sample take_sample(const std::function<void()>& call, const CallBuffers& buffers, double settle_seconds, double seconds,
                   const Phases* phases) {
  constexpr double kShortCall = 5e-6, kBatchSeconds = 20e-6;
  double last = kShortCall;
  const double settle_begin = now();
  while (now() - settle_begin < settle_seconds) {
    const double begin = now();
    call();
    last = now() - begin;
  }
  const std::size_t batch =
      last < kShortCall ? std::clamp<std::size_t>(static_cast<std::size_t>(kBatchSeconds / last), 1, 64) : 1;

  Sample sample;
  std::vector<double> times;
  std::vector<Phases> parts;
  double total = 0;
  const Health before = read_health();
  sample.begin = now();
  while (total < seconds) {
    touch(buffers);
    const double begin = now();
    for (std::size_t i = 0; i < batch; ++i) call();
    const double elapsed = now() - begin;
    total += elapsed;
    times.push_back(elapsed / static_cast<double>(batch));
    if (phases != nullptr) parts.push_back(*phases);
  }
  sample.health = read_health() - before;
  sample.calls = times.size() * batch;
  sample.t_min = quantile(times, 0);
  sample.t_median = median(times);
  sample.t_p90 = quantile(times, 0.9);
  sample.has_phases = !parts.empty();
  if (sample.has_phases) sample.phases = medians(parts);
  return sample;
}

}  // namespace swiglu::bench
