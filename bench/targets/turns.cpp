#include "targets/turns.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "progress.hpp"
#include "rows.hpp"
#include "stats.hpp"

namespace swiglu::bench {
namespace {

double over_rounds(const Turn& turn, std::size_t arm, double Rates::* rate) {
  std::vector<double> values;
  for (const Round& round : turn.comparison.rounds) {
    values.push_back(
        rates(turn.point, turn.comparison.arms[arm]->impl().family, round.samples[arm].t_median, round.roof).*rate);
  }
  return median(values);
}

}  // namespace

Turn make_turn(Workbench& bench, const Point& point) {
  for (const auto& [impl, reason] : bench.unavailable()) {
    throw std::runtime_error(std::string(impl->name) + ": " + reason);
  }
  Turn turn{&bench, point, bench.rotation_enough()};
  for (Arm& arm : bench.arms()) {
    turn.comparison.errors.push_back(bench.verify(arm, point.T));
    turn.comparison.arms.push_back(&arm);
  }
  return turn;
}

FeedForward native_block(const TargetRun& run, const Shape& shape, std::size_t threads, const Weights& weights) {
  swiglu::Options options;
  options.isa = run.isa();
  options.threads = threads;
  return FeedForward(shape.d, shape.h, weights, options);
}

void measure_in_turns(TargetRun& run, std::vector<Turn>& turns, std::size_t rounds) {
  std::vector<std::size_t> order(turns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t r = 0; r < rounds; ++r) {
    std::shuffle(order.begin(), order.end(), run.random());
    for (const std::size_t i : order) {
      Turn& turn = turns[i];
      run.session().pin(turn.point.threads);
      measure_rounds(run, turn, 1);
    }
  }
}

void measure_rounds(TargetRun& run, Turn& turn, std::size_t rounds) {
  std::vector<std::string> wrong;
  Attempt attempt = measure(run.session(), *turn.bench, turn.point, turn.comparison.arms, rounds, run.random(), wrong);
  if (interrupted()) throw std::runtime_error("interrupted");
  for (const std::string& text : wrong) {
    if (!text.empty()) throw WrongResult(text);
  }
  if (attempt.spinning_threads) run.add_spinning_threads();
  auto& all = turn.comparison.rounds;
  all.insert(all.end(), attempt.rounds.begin(), attempt.rounds.end());
}

PointResult result_of(const Turn& turn) {
  PointResult result;
  result.point = turn.point;
  for (std::size_t arm = 0; arm < turn.comparison.arms.size(); ++arm) {
    result.arms.push_back(&turn.comparison.arms[arm]->impl());
    result.facts.push_back(turn.bench->facts(*turn.comparison.arms[arm], turn.point.T, turn.comparison.errors[arm]));
  }
  result.launches.emplace_back().attempts.emplace_back().rounds = turn.comparison.rounds;
  return result;
}

std::string name_of(const Point& point) { return formatted("%zu/%zu, T = %zu", point.shape.d, point.shape.h, point.T); }

double pct_roof(const Turn& turn, std::size_t arm) { return over_rounds(turn, arm, &Rates::pct_roof); }
double pct_bw(const Turn& turn, std::size_t arm) { return over_rounds(turn, arm, &Rates::pct_bw); }

bool cold(const Turn& turn, std::size_t arm) {
  std::size_t cold_rounds = 0;
  for (const Round& round : turn.comparison.rounds) {
    cold_rounds +=
        is_cold(
            rates(turn.point, turn.comparison.arms[arm]->impl().family, round.samples[arm].t_median, round.roof).gbps,
            round.roof)
            ? 1
            : 0;
  }
  return turn.rotation_enough && 2 * cold_rounds > turn.comparison.rounds.size();
}

Ratio speed_up(const Turn& base, const Turn& other) {
  std::vector<double> logs;
  for (std::size_t r = 0; r < base.comparison.rounds.size(); ++r) {
    logs.push_back(
        std::log(base.comparison.rounds[r].samples[0].t_median / other.comparison.rounds[r].samples[0].t_median));
  }
  return ratio_of(trimmed_mean(logs, 0.99));
}

}  // namespace swiglu::bench
