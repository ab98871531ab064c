// What further threads gain: arithmetic, bandwidth, and a whole small block.

#include <algorithm>
#include <list>

#include "stats.hpp"
#include "targets/turns.hpp"

namespace swiglu::bench {
namespace {

struct Pair {
  Turn one, many;
};

/// The same points with one thread and with n, in turns. The pairs point into `benches`.
std::vector<Pair> measure_pairs(TargetRun& run, std::size_t n, const Shape& shape, const std::vector<std::size_t>& rows,
                                std::list<Workbench>& benches) {
  std::vector<Turn> turns;
  for (const std::size_t threads : {std::size_t{1}, n}) {
    Point point{shape, rows.front(), threads, run.isa(), Cache::wei, {&kNative}};
    benches.emplace_back(run.session(), point, point.impls);
    for (const std::size_t T : rows) {
      point.T = T;
      turns.push_back(make_turn(benches.back(), point));
    }
  }
  measure_in_turns(run, turns, run.quick() ? 5 : 11);
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < rows.size(); ++i) pairs.push_back({turns[i], turns[rows.size() + i]});
  return pairs;
}

/// How much more arithmetic the machine itself gives n threads, in the same rounds.
double machine_speed_up(const Pair& pair) {
  std::vector<double> ratios;
  for (std::size_t r = 0; r < pair.one.comparison.rounds.size(); ++r) {
    ratios.push_back(pair.many.comparison.rounds[r].roof.peak_gflops / pair.one.comparison.rounds[r].roof.peak_gflops);
  }
  return median(ratios);
}

std::string with_interval(const Pair& pair, const Ratio& ratio) {
  return name_of(pair.one.point) + formatted(": [%.2f, %.2f]", ratio.lower, ratio.upper);
}

}  // namespace

void measure_threads(TargetRun& run) {
  const std::size_t n = run.most_threads();
  if (n == 1) return run.not_measured("threads: speed-up", "only one CPU, or --threads 1");
  const Shape small = fixed_shape(576, 1536, "", "targets"), large = fixed_shape(2048, 5632, "", "targets");
  std::list<Workbench> benches;
  const auto small_pairs = measure_pairs(run, n, small, {1, 128, 256}, benches);
  const auto large_pairs = measure_pairs(run, n, large, {1, 2, 4, 256}, benches);
  const std::string suffix = run.suffix(n) + " over 1";

  const Pair* worst = nullptr;
  Ratio least;
  for (const Pair* pair : {&small_pairs[1], &small_pairs[2], &large_pairs[3]}) {
    const Ratio ratio = speed_up(pair->one, pair->many);
    if (worst == nullptr || ratio.ratio < least.ratio) {
      worst = pair;
      least = ratio;
    }
  }
  run.at_least("threads: lowest speed-up where compute-bound" + suffix, least.ratio, "x", 0.95 * static_cast<double>(n),
               with_interval(*worst, least) + formatted("; the peak grows by %.2f×", machine_speed_up(*worst)));

  const Turn* slowest = &large_pairs[0].many;
  for (std::size_t i = 0; i < 3; ++i) {
    if (pct_bw(large_pairs[i].many) < pct_bw(*slowest)) slowest = &large_pairs[i].many;
  }
  run.at_least("threads: lowest share of the read bandwidth where memory-bound" + run.suffix(n), pct_bw(*slowest), "%",
               95, name_of(slowest->point) + (cold(*slowest) ? "" : "; not certified cold"));

  const Ratio whole = speed_up(small_pairs[0].one, small_pairs[0].many);
  run.at_least("threads: a whole block, lower 99 % bound of the speed-up" + suffix, whole.lower, "x", 1,
               with_interval(small_pairs[0], whole) + formatted(", %.2f×", whole.ratio));
}

}  // namespace swiglu::bench
