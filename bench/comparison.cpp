#include "comparison.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "clock.hpp"
#include "formulas.hpp"
#include "progress.hpp"
#include "stats.hpp"

namespace swiglu::bench {
namespace {

constexpr double kSettleSeconds = 2e-3;
constexpr double kLongCall = 20e-3;

Roof higher(const Roof& a, const Roof& b) {
  return {std::max(a.peak_gflops, b.peak_gflops), std::max(a.read_gbps, b.read_gbps),
          (a.round_trip_ns + b.round_trip_ns) / 2};
}

}  // namespace

void measure(Session& session, Workbench& bench, const Point& point, std::size_t rounds, std::mt19937_64& random,
             Comparison& comparison) {
  const CallBuffers buffers = bench.buffers(point.T);
  const auto sample = [&](Arm& arm, double settle) {
    return take_sample([&] { arm.forward(buffers.x, buffers.y, point.T); }, buffers, settle,
                       session.options().sample_seconds);
  };
  // Warm-up, after the call that verified the result. Calls that are long by themselves need no settling.
  std::vector<double> settle;
  for (Arm* arm : comparison.arms) settle.push_back(sample(*arm, 0).t_min < kLongCall ? kSettleSeconds : 0);

  let_workers_sleep(point.threads);
  Roof before = session.roofs().beside_block(point.isa, point.threads);
  for (std::size_t r = 0; r < rounds && !interrupted(); ++r) {
    Round round;
    round.order.resize(comparison.arms.size());
    round.samples.resize(comparison.arms.size());
    std::iota(round.order.begin(), round.order.end(), std::size_t{0});
    std::shuffle(round.order.begin(), round.order.end(), random);
    for (const std::size_t arm : round.order) {
      let_workers_sleep(point.threads);
      round.samples[arm] = sample(*comparison.arms[arm], settle[arm]);
    }
    let_workers_sleep(point.threads);
    const Roof after = session.roofs().beside_block(point.isa, point.threads);
    session.add_anchor(after, point.isa, point.threads);
    round.roof = higher(before, after);
    before = after;
    comparison.rounds.push_back(std::move(round));
  }
}

double estimated_seconds(const Session& session, const Point& point, std::size_t rounds) {
  const Roof roof = session.estimate(point.isa, point.threads);
  const double flops = block_flops(point.shape.d, point.shape.h, point.T);
  const double bytes = block_bytes(point.shape.d, point.shape.h, point.T);
  const double pause = point.threads > 1 ? 5e-3 : 0;
  double one_round = 16e-3 + pause;
  for (const Impl impl : point.impls) {
    const double call =
        impl == Impl::reference ? flops * 1e-9 : 1.2 * roof_seconds(flops, bytes, roof.peak_gflops, roof.read_gbps);
    one_round += pause + (call < kLongCall ? std::max(kSettleSeconds, call) : 0) +
                 std::max(session.options().sample_seconds, call);
  }
  return one_round * static_cast<double>(rounds + 1);
}

std::size_t affordable_rounds(const Session& session, const Point& point, std::size_t rounds) {
  const double one = estimated_seconds(session, point, rounds) / static_cast<double>(rounds + 1);
  const double fit = session.options().max_point_seconds / one - 1;
  if (fit >= static_cast<double>(rounds)) return rounds;
  return fit >= kMinRounds ? static_cast<std::size_t>(fit) : 0;
}

Ratio paired_ratio(const Comparison& comparison, std::size_t contender, std::size_t baseline) {
  std::vector<double> logs, medians;
  for (const Round& round : comparison.rounds) {
    logs.push_back(std::log(round.samples[baseline].t_min / round.samples[contender].t_min));
    medians.push_back(std::log(round.samples[baseline].t_median / round.samples[contender].t_median));
  }
  const TrimmedMean result = trimmed_mean(logs, 0.99);
  return {std::exp(result.mean), std::exp(result.ci.lo), std::exp(result.ci.hi),
          std::exp(trimmed_mean(medians, 0.99).mean), result.sd};
}

}  // namespace swiglu::bench
