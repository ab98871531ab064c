// The sweep: share of the roofline, and the paired ratio to oneDNN's strongest form.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include "progress.hpp"
#include "rows.hpp"
#include "stats.hpp"
#include "sweep.hpp"
#include "targets/turns.hpp"

namespace swiglu::bench {
namespace {

// Rounds beyond the fewest stop here. Calls of 0.3 s got only the fewest in 5 s, and bounds of ±15 %.
constexpr double kPointSeconds = 15;

struct Rival {
  Ratio ratio;
  double ceiling;  // what the ratio would be at 100 % of the roofline, with the rival's times of the same rounds
};

struct Result {
  Point point;
  double pct_roof;
  std::optional<Rival> rival;
};

std::vector<Point> sweep(TargetRun& run, std::size_t threads) {
  Options options = run.session().options();
  options.filter.clear();  // it chooses measurements here
  options.threads = {std::to_string(threads)};
  options.isas = {swiglu::to_string(run.isa())};
  if (run.quick()) {
    options.models = {"SmolLM2-135M", "TinyLlama-1.1B"};
    options.d_model.clear();
    options.tokens = {1, 4, 16, 64, 256};
  } else {
    options.models = {"SmolLM2-135M", "TinyLlama-1.1B", "LLaMA-7B"};
    options.d_model = {1024};
    options.tokens = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024};
  }
  return build_points(options, run.session().limits());
}

std::optional<Rival> against_rival(TargetRun& run, const Turn& turn, const PointResult& result) {
  const std::size_t native = result.arm_of(kNative), strongest = strongest_onednn(result);
  if (native == result.arms.size() || strongest == result.arms.size()) return {};
  for (Json& pair : point_pairs(result, {}, nullptr, nullptr)) {
    if (pair.text("baseline") == "onednn-strongest") run.session().add_pair(std::move(pair));
  }
  std::vector<double> ceilings;
  for (const Round& round : turn.comparison.rounds) {
    const double t = round.samples[strongest].t_min;
    ceilings.push_back(t / rates(turn.point, Family::ffn, t, round.roof).t_roof);
  }
  return Rival{paired_ratio(result, native, strongest, 0.99), median(ceilings)};
}

void report_roofline(TargetRun& run, std::size_t threads, const std::vector<Result>& results,
                     const std::string& left_out) {
  std::vector<double> shares;
  const Result* lowest = &results.front();
  std::size_t below = 0;
  for (const Result& result : results) {
    shares.push_back(result.pct_roof);
    if (result.pct_roof < lowest->pct_roof) lowest = &result;
    below += result.pct_roof < 90 ? 1 : 0;
  }
  const std::string suffix = run.suffix(threads);
  run.at_least("roofline: geometric mean" + suffix, geometric_mean(shares), "%", 95,
               counted(results.size(), "point") + left_out);
  run.at_least("roofline: lowest point" + suffix, lowest->pct_roof, "%", 90,
               name_of(lowest->point) + "; " + counted(below, "point") + " below 90 %");
}

void report_rival(TargetRun& run, std::size_t threads, const std::vector<Result>& results) {
  std::vector<double> all, few, all_ceilings, few_ceilings;
  const Result* worst = nullptr;
  std::size_t below = 0;
  for (const Result& result : results) {
    if (!result.rival) continue;
    const Rival& rival = *result.rival;
    all.push_back(rival.ratio.ratio);
    all_ceilings.push_back(rival.ceiling);
    if (result.point.T >= 8 && result.point.T <= 32) {
      few.push_back(rival.ratio.ratio);
      few_ceilings.push_back(rival.ceiling);
    }
    if (worst == nullptr || rival.ratio.lower < worst->rival->ratio.lower) worst = &result;
    below += rival.ratio.lower < 0.98 ? 1 : 0;
  }
  const std::string suffix = run.suffix(threads);
  if (worst == nullptr) {
    run.not_measured("against oneDNN" + suffix,
                     run.has_rival() ? "oneDNN runs another ISA in this process" : "this build has no oneDNN backend");
    return;
  }
  run.at_least("against oneDNN: worst lower 99 % bound" + suffix, worst->rival->ratio.lower, "x", 0.98,
               name_of(worst->point) +
                   formatted(": %.3f [%.3f, %.3f]; ", worst->rival->ratio.ratio, worst->rival->ratio.lower,
                             worst->rival->ratio.upper) +
                   counted(below, "point") + " below 0.98");
  run.at_least("against oneDNN: geometric mean" + suffix, geometric_mean(all), "x", 1.25,
               formatted("100 %% of the roofline would be %.2f×", geometric_mean(all_ceilings)));
  run.at_least("against oneDNN: geometric mean, T = 8..32" + suffix, geometric_mean(few), "x", 1.4,
               formatted("100 %% of the roofline would be %.2f×", geometric_mean(few_ceilings)));
}

void sweep_with(TargetRun& run, std::size_t threads) {
  Session& session = run.session();
  const std::size_t rounds = run.quick() ? 7 : 11;
  std::unique_ptr<Workbench> bench;
  Point bench_point;
  std::vector<Result> results;
  std::string left_out;
  for (const Point& point : sweep(run, threads)) {
    if (!bench || !Workbench::shares(bench_point, point)) {
      bench.reset();  // before the next one: together they may not fit
      bench = std::make_unique<Workbench>(session, point, point.impls);
      bench_point = point;
    }
    // The more rounds, the narrower the interval; calls of a second get the fewest that an interval needs.
    const double one = estimated_seconds(session, point, rounds) / static_cast<double>(rounds + 1);
    const auto fit = static_cast<std::size_t>(kPointSeconds / one);
    const std::size_t affordable = affordable_rounds(session, point, std::clamp(fit, kMinRounds, rounds));
    if (affordable == 0) {
      left_out += "; left out, too long: " + name_of(point);
      continue;
    }
    Turn turn = make_turn(*bench, point);
    measure_rounds(run, turn, affordable);
    const PointResult result = result_of(turn);
    Plan plan;
    plan.rounds = affordable;
    for (Json& row : point_rows(result, plan)) session.add_row(std::move(row));
    std::optional<double> native;
    if (const std::size_t arm = result.arm_of(kNative); arm < result.arms.size()) {
      if (cold(turn, arm)) {
        native = pct_roof(turn, arm);
      } else {
        left_out += "; left out, not certified cold: " + name_of(point);
      }
    }
    if (!native) continue;
    results.push_back({point, *native, against_rival(run, turn, result)});
    std::fprintf(stderr, "  %s, %s: %.1f %% of the roofline", name_of(point).c_str(),
                 counted(threads, "thread").c_str(), *native);
    if (const auto& rival = results.back().rival) {
      std::fprintf(stderr, ", %.2fx oneDNN [%.2f, %.2f] of %.2fx", rival->ratio.ratio, rival->ratio.lower,
                   rival->ratio.upper, rival->ceiling);
    }
    std::fprintf(stderr, "\n");
  }
  if (results.empty()) throw std::runtime_error("no point could be measured" + left_out);
  report_roofline(run, threads, results, left_out);
  report_rival(run, threads, results);
}

}  // namespace

void measure_roofline(TargetRun& run) {
  for (const std::size_t threads : run.threads()) sweep_with(run, threads);
}

}  // namespace swiglu::bench
