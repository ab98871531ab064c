// All arms of a point take turns in one process; ratios come from here and nowhere else.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "commands.hpp"
#include "comparison.hpp"
#include "progress.hpp"
#include "rows.hpp"
#include "session.hpp"
#include "stats.hpp"
#include "workbench.hpp"

namespace swiglu::bench {
namespace {

std::string format(const char* pattern, double a, double b = 0, double c = 0) {
  char text[160];
  std::snprintf(text, sizeof text, pattern, a, b, c);
  return text;
}

/// What the table at the end says about one baseline.
struct Tally {
  std::vector<double> logs;
  double worst = INFINITY;
  std::string worst_name;
  std::map<std::string, int> verdicts;
};

class PairedRun {
 public:
  explicit PairedRun(const Options& options) : session_(options), random_(options.seed) {
    points_ = build_points(options, session_.limits());
    if (points_.empty()) throw UsageError("no points: the filter or the lists leave nothing to measure");
    rounds_ = options.rounds > 0 ? options.rounds : preset_rounds(options.preset);
    if (rounds_ < kMinRounds) throw UsageError("--rounds: an interval needs at least 5 rounds");
  }

  int run() {
    if (session_.options().list) return list(false);
    std::vector<Isa> isas;
    std::vector<std::size_t> threads;
    for (const Point& point : points_) {
      if (std::find(isas.begin(), isas.end(), point.isa) == isas.end()) isas.push_back(point.isa);
      if (std::find(threads.begin(), threads.end(), point.threads) == threads.end()) threads.push_back(point.threads);
    }
    session_.calibrate(isas, threads);
    if (session_.options().dry_run) return list(true);

    double total = 0;
    for (const Point& point : points_) total += estimated_seconds(session_, point, rounds_);
    Progress progress(points_.size(), total);
    for (auto& group : groups()) {
      if (interrupted()) break;
      measure_group(group, progress);
    }
    session_.write();
    print_summary();
    if (wrong_) return kWrong;
    return interrupted() || session_.has_invalid_rows() || measured_ == 0 ? kCouldNotMeasure : kOk;
  }

 private:
  int list(bool with_seconds) const {
    double total = 0;
    for (const Point& point : points_) {
      const double seconds = with_seconds ? estimated_seconds(session_, point, rounds_) : 0;
      total += seconds;
      for (const Impl impl : point.impls) {
        const double share = seconds / static_cast<double>(point.impls.size());
        std::printf("%s%s\n", row_name(point, impl).c_str(), with_seconds ? format("  %.2f s", share).c_str() : "");
      }
    }
    if (with_seconds)
      std::printf("%zu points, about %s and the time to create objects\n", points_.size(), minutes(total).c_str());
    return kOk;
  }

  /// Points that share objects, groups and points in random order so that drift hits all alike.
  std::vector<std::vector<Point>> groups() {
    std::vector<std::vector<Point>> result;
    for (const Point& point : points_) {
      auto group = std::find_if(result.begin(), result.end(),
                                [&](const auto& g) { return Workbench::shares(g.front(), point); });
      if (group == result.end()) {
        result.push_back({point});
      } else {
        group->push_back(point);
      }
    }
    std::shuffle(result.begin(), result.end(), random_);
    for (auto& group : result) std::shuffle(group.begin(), group.end(), random_);
    return result;
  }

  void measure_group(const std::vector<Point>& group, Progress& progress) {
    std::vector<Impl> impls;
    for (const Point& point : group) {
      for (const Impl impl : point.impls) {
        if (std::find(impls.begin(), impls.end(), impl) == impls.end()) impls.push_back(impl);
      }
    }
    Workbench bench(session_, group.front(), impls);
    for (const Point& point : group) {
      if (interrupted()) return;
      const std::string text = measure_point(bench, point);
      progress.step(estimated_seconds(session_, point, rounds_), text);
    }
  }

  void leave_out(const Point& point, Impl impl, const char* status, const std::string& reason) {
    std::fprintf(stderr, "%s %s: %s\n", status, row_name(point, impl).c_str(), reason.c_str());
    session_.add_row(unmeasured_row(point, impl, status, reason));
  }

  std::string measure_point(Workbench& bench, const Point& point) {
    char head[160];
    std::snprintf(head, sizeof head, "d %zu h %zu T %zu %s thr %zu:", point.shape.d, point.shape.h, point.T,
                  swiglu::to_string(point.isa), point.threads);
    const std::size_t rounds = affordable_rounds(session_, point, rounds_);
    if (rounds == 0) {
      const double needed = estimated_seconds(session_, point, kMinRounds);
      for (const Impl impl : point.impls) {
        leave_out(
            point, impl, "SKIPPED",
            format("needs about %.0f s, --max-point-seconds is %.0f", needed, session_.options().max_point_seconds));
      }
      return head + std::string(" skipped");
    }
    Comparison comparison;
    for (const Impl impl : point.impls) {
      if (const auto reason = bench.unavailable().find(impl); reason != bench.unavailable().end()) {
        leave_out(point, impl, "SKIPPED", reason->second);
        continue;
      }
      for (Arm& arm : bench.arms()) {
        if (arm.impl() != impl) continue;
        try {
          comparison.errors.push_back(bench.verify(arm, point.T));
          comparison.arms.push_back(&arm);
        } catch (const WrongResult& error) {
          wrong_ = true;
          leave_out(point, impl, "WRONG", error.what());
        }
      }
    }
    if (comparison.arms.empty()) return head + std::string(" nothing to measure");
    measure(session_, bench, point, rounds, random_, comparison);
    if (comparison.rounds.size() < kMinRounds) return head + std::string(" interrupted, dropped");
    ++measured_;
    return head + report(bench, point, comparison);
  }

  /// Rows, samples and pairs into the results; a short text for the progress line.
  std::string report(Workbench& bench, const Point& point, const Comparison& comparison) {
    std::string text;
    std::vector<RowSummary> summaries(comparison.arms.size());
    for (std::size_t arm = 0; arm < comparison.arms.size(); ++arm) {
      session_.add_row(measured_row(point, comparison, arm, bench.rotation_enough(), rounds_, &summaries[arm]));
      text += std::string(" ") + to_string(comparison.arms[arm]->impl()) + format(" %.0f%%", summaries[arm].pct_roof);
      for (std::size_t r = 0; session_.options().keep_samples && r < comparison.rounds.size(); ++r) {
        session_.add_sample(sample_row(point, comparison, r, arm, session_.begin()));
      }
    }
    text += " of roof";
    const std::size_t none = comparison.arms.size();
    std::size_t native = none, strongest = none;
    for (std::size_t arm = 0; arm < none; ++arm) {
      const Impl impl = comparison.arms[arm]->impl();
      if (impl == Impl::native) native = arm;
      if (is_onednn(impl) && (strongest == none || summaries[arm].t_median < summaries[strongest].t_median))
        strongest = arm;
    }
    if (native == none || strongest == none) return text;
    for (std::size_t arm = 0; arm < none; ++arm) {
      const Impl impl = comparison.arms[arm]->impl();
      if (is_onednn(impl)) session_.add_pair(pair_row(point, comparison, native, arm, to_string(impl)));
    }
    session_.add_pair(pair_row(point, comparison, native, strongest, "onednn-strongest"));
    const Ratio ratio = paired_ratio(comparison, native, strongest);
    tally_.logs.push_back(std::log(ratio.ratio));
    ++tally_.verdicts[ratio.verdict()];
    if (ratio.ratio < tally_.worst) {
      tally_.worst = ratio.ratio;
      tally_.worst_name = row_name(point, Impl::native);
    }
    return text + format("; %.2fx [%.2f, %.2f] vs ", ratio.ratio, ratio.lower, ratio.upper) +
           to_string(comparison.arms[strongest]->impl());
  }

  void print_summary() const {
    std::printf("%zu points measured in %s\n", measured_, minutes(session_.seconds()).c_str());
    if (tally_.logs.empty()) return;
    double sum = 0;
    for (const double log : tally_.logs) sum += log;
    const auto count = [&](const char* verdict) {
      const auto at = tally_.verdicts.find(verdict);
      return at == tally_.verdicts.end() ? 0 : at->second;
    };
    std::printf(
        "native against oneDNN's strongest form: geometric mean %.3fx, worst %.3fx (%s), %d wins, %d ties, %d losses\n",
        std::exp(sum / static_cast<double>(tally_.logs.size())), tally_.worst, tally_.worst_name.c_str(), count("win"),
        count("tie"), count("loss"));
  }

  Session session_;
  std::mt19937_64 random_;
  std::vector<Point> points_;
  std::size_t rounds_ = 0, measured_ = 0;
  bool wrong_ = false;
  Tally tally_;
};

}  // namespace

int command_paired(const Options& options) { return PairedRun(options).run(); }

}  // namespace swiglu::bench
