#include "comparison.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "clock.hpp"
#include "formulas.hpp"
#include "own_threads.hpp"
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

/// Times the roofline time, as measured on a Zen 5: for estimates only.
double slowness(Role role) { return role == Role::peer ? 2.5 : role == Role::ours ? 1.1 : 1.4; }

}  // namespace

Attempt measure(Session& session, Workbench& bench, const Point& point, const std::vector<Arm*>& arms,
                std::size_t rounds, std::mt19937_64& random, std::vector<std::string>& wrong) {
  const CallBuffers buffers = bench.buffers(point.T);
  const auto sample = [&](Arm& arm, double settle) {
    return take_sample([&] { arm.forward(buffers, point.T); }, buffers, settle, session.options().sample_seconds,
                       arm.phases());
  };
  Attempt attempt;
  const auto wait = [&] { attempt.spinning_threads |= !let_workers_sleep(point.threads); };
  wrong.assign(arms.size(), {});
  // Warm-up, after the call that verified the result. Calls that are long by themselves need no settling. What it took
  // says how many rounds fit: the roofline's estimate may have been made in a bad second.
  std::vector<double> settle;
  const double begin = now();
  for (Arm* arm : arms) {
    wait();
    settle.push_back(sample(*arm, 0).t_min < kLongCall ? kSettleSeconds : 0);
  }
  const double fit = session.options().max_point_seconds / (now() - begin);
  if (fit < static_cast<double>(rounds)) rounds = std::max(kMinRounds, static_cast<std::size_t>(fit));

  wait();
  Roof before = attempt.before = session.roofs().beside_block(point.isa, point.threads);
  for (std::size_t r = 0; r < rounds && !interrupted(); ++r) {
    Round round;
    round.order.resize(arms.size());
    round.samples.resize(arms.size());
    std::iota(round.order.begin(), round.order.end(), std::size_t{0});
    std::shuffle(round.order.begin(), round.order.end(), random);
    for (const std::size_t arm : round.order) {
      wait();
      round.samples[arm] = sample(*arms[arm], settle[arm]);
      round.samples[arm].begin -= session.begin();
      if (r + 1 < rounds || session.options().mode == Mode::performance) continue;
      try {
        bench.verify_result(*arms[arm], arms[arm]->last_y(buffers), point.T);
      } catch (const WrongResult& error) {
        wrong[arm] = std::string("after the timed calls: ") + error.what();
      }
    }
    wait();
    const Roof after = attempt.after = session.roofs().beside_block(point.isa, point.threads);
    session.add_anchor(after, point.isa, point.threads);
    round.roof = higher(before, after);
    before = after;
    attempt.rounds.push_back(std::move(round));
  }
  return attempt;
}

double estimated_seconds(const Session& session, const Point& point, std::size_t rounds) {
  const Roof roof = session.estimate(point.isa, point.threads);
  const double pause = point.threads > 1 ? 5e-3 : 0;
  double one_round = 15e-3 + pause, verification = 0;
  for (const Implementation* impl : point.impls) {
    const Shape shape = shape_of(point.shape, impl->family);
    const int matrices = impl->family == Family::ffn ? 3 : 2;
    const double flops = block_flops(shape.d, shape.h, point.T, matrices);
    const double bytes = block_bytes(shape.d, shape.h, point.T, matrices);
    const double call = impl->role == Role::reference
                            ? flops * 1e-9
                            : slowness(impl->role) * roof_seconds(flops, bytes, roof.peak_gflops, roof.read_gbps);
    one_round += pause + (call < kLongCall ? std::max(kSettleSeconds, call) : 0) +
                 std::max(session.options().sample_seconds, call);
    verification += 20e-3 + 2 * call;
  }
  return verification + one_round * static_cast<double>(rounds) + session.options().sample_seconds * 2;
}

double estimated_setup_seconds(const Session& session, const Point& point,
                               const std::vector<const Implementation*>& impls) {
  double seconds = 0;
  bool first = true;
  for (const Implementation* impl : impls) {
    const Shape shape = shape_of(point.shape, impl->family);
    const double one = weight_bytes(shape.d, shape.h, impl->family == Family::ffn ? 3 : 2);
    if (first || impl->family != Family::ffn) seconds += one * 3.5e-9;  // source weights and the truth in double
    first = false;
    const auto windows = rotation(one, point.threads, point.cache, session.llc_bytes(), std::size_t{1} << 40).windows;
    seconds += one * static_cast<double>(windows) * (impl->role == Role::ours ? 0.4e-9 : 0.8e-9);
  }
  return seconds;
}

std::size_t affordable_rounds(const Session& session, const Point& point, std::size_t rounds) {
  const double fixed = estimated_seconds(session, point, 0);
  const double one = estimated_seconds(session, point, 1) - fixed;
  const double fit = (session.options().max_point_seconds - fixed) / one;
  if (fit >= static_cast<double>(rounds)) return rounds;
  return fit >= kMinRounds ? static_cast<std::size_t>(fit) : 0;
}

Ratio ratio_of(const TrimmedMean& of_rounds) {
  Ratio ratio;
  ratio.estimator = "yuen-rounds";
  ratio.ratio = std::exp(of_rounds.mean);
  ratio.lower = std::exp(of_rounds.ci.lo);
  ratio.upper = std::exp(of_rounds.ci.hi);
  ratio.sd_ln = of_rounds.sd;
  return ratio;
}

Ratio paired_ratio(const PointResult& result, std::size_t contender, std::size_t baseline, double confidence) {
  std::vector<double> centres, medians, spreads;
  TrimmedMean of_rounds;
  for (const Launch& launch : result.launches) {
    std::vector<double> logs;
    for (const Round& round : launch.rounds()) {
      logs.push_back(std::log(round.samples[baseline].t_min / round.samples[contender].t_min));
      medians.push_back(std::log(round.samples[baseline].t_median / round.samples[contender].t_median));
    }
    of_rounds = trimmed_mean(logs, confidence);
    centres.push_back(of_rounds.mean);
    spreads.push_back(of_rounds.sd);
  }
  Ratio ratio = ratio_of(of_rounds);
  ratio.of_medians = std::exp(trimmed_mean(medians, confidence).mean);
  ratio.sd_ln = median(spreads);
  if (centres.size() == 1) return ratio;
  const LaunchMean mean = launch_mean(centres, confidence);
  ratio.estimator = "t-launches";
  ratio.ratio = std::exp(mean.mean);
  ratio.lower = std::exp(mean.bounds.lo);
  ratio.upper = std::exp(mean.bounds.hi);
  ratio.sd_launch = mean.sd;
  return ratio;
}

}  // namespace swiglu::bench
