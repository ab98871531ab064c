#include "point_run.hpp"

#include <cstdio>

#include "comparison.hpp"
#include "formatted.hpp"

namespace swiglu::bench {
namespace {

Roof typical_roof(const Attempt& attempt) {
  std::vector<double> peaks, reads;
  for (const Round& round : attempt.rounds) {
    peaks.push_back(round.roof.peak_gflops);
    reads.push_back(round.roof.read_gbps);
  }
  return {median(peaks), median(reads), 0};
}

/// "native 95% …; 1.32x [1.30, 1.34] vs onednn-wide" of one launch, or of all that there are.
std::string summary(const PointResult& result, const Plan& plan) {
  if (!result.measured()) return " nothing to measure";
  std::string text;
  for (std::size_t arm = 0; arm < result.arms.size(); ++arm) {
    std::vector<double> shares;
    for (const Round& round : result.launches.back().rounds()) {
      shares.push_back(rates(result.point, result.arms[arm]->family, round.samples[arm].t_median, round.roof).pct_roof);
    }
    text += std::string(" ") + result.arms[arm]->name + formatted(" %.0f%%", median(shares));
  }
  text += " of roof";
  const std::size_t native = result.arm_of(kNative), strongest = strongest_onednn(result);
  if (native == result.arms.size() || strongest == result.arms.size()) return text;
  const Ratio ratio = paired_ratio(result, native, strongest, plan.confidence);
  return text + formatted("; %.2fx [%.2f, %.2f] vs ", ratio.ratio, ratio.lower, ratio.upper) +
         result.arms[strongest]->name;
}

}  // namespace

PointRun::PointRun(Session& session, const Plan& plan, std::mt19937_64& random, Progress& progress, std::size_t launch,
                   double estimated)
    : session_(session),
      plan_(plan),
      random_(random),
      progress_(progress),
      launch_(launch),
      redo_budget_(0.15 * estimated) {}

void PointRun::leave_out(PointResult& result, const Implementation& impl, const char* status,
                         const std::string& reason) {
  progress_.note(std::string(status) + " " + row_name(result.point, impl) + ": " + reason);
  result.leave_out(impl, status, reason);
}

std::string PointRun::measure(Workbench& bench, PointResult& result) {
  const Point& point = result.point;
  char head[160];
  std::snprintf(head, sizeof head, "d %zu h %zu T %zu %s thr %zu:", point.shape.d, point.shape.h, point.T,
                swiglu::to_string(point.isa), point.threads);
  const std::size_t rounds = affordable_rounds(session_, point, plan_.rounds);
  if (rounds == 0) {
    const double needed = estimated_seconds(session_, point, kMinRounds);
    for (const Implementation* impl : point.impls) {
      leave_out(
          result, *impl, "SKIPPED",
          formatted("needs about %.0f s, --max-point-seconds is %.0f", needed, session_.options().max_point_seconds));
    }
    return head + std::string(" skipped");
  }
  if (const std::string reason = bench.too_large(point.T); !reason.empty()) {
    for (const Implementation* impl : point.impls) leave_out(result, *impl, "SKIPPED", reason);
    return head + std::string(" skipped");
  }
  PointResult here;
  here.point = point;
  std::vector<Arm*> arms;
  for (const Implementation* impl : point.impls) prepare(bench, here, *impl, arms);
  if (session_.options().mode == Mode::correctness) return correctness(head, result, here);
  if (!arms.empty()) {
    here.launches.push_back(measure_launch(bench, here, arms, rounds));
    here.launches.back().index = launch_;
    if (here.launches.back().rounds().size() < kMinRounds) return head + std::string(" interrupted, dropped");
  }
  for (const Implementation* impl : point.impls) {
    if (const auto wrong = wrong_.find(impl); wrong != wrong_.end()) {
      leave_out(here, *impl, "WRONG", wrong->second);
    }
  }
  wrong_.clear();
  result.merge(std::move(here));
  return head + summary(result, plan_);
}

void PointRun::prepare(Workbench& bench, PointResult& result, const Implementation& impl, std::vector<Arm*>& arms) {
  if (const auto reason = bench.unavailable().find(&impl); reason != bench.unavailable().end()) {
    leave_out(result, impl, "SKIPPED", reason->second);
    return;
  }
  Arm& arm = *bench.find(impl);
  double error = 0;
  try {
    if (plan_.verified) {
      error = bench.verify(arm, result.point.T);
    } else {
      bench.prepare(arm, result.point.T);
    }
  } catch (const WrongResult& wrong) {
    leave_out(result, impl, "WRONG", wrong.what());
    return;
  }
  arms.push_back(&arm);
  result.arms.push_back(&impl);
  result.facts.push_back(bench.facts(arm, result.point.T, error));
}

std::string PointRun::correctness(const std::string& head, PointResult& result, PointResult& here) {
  for (std::size_t arm = 0; arm < here.arms.size(); ++arm) {
    const std::string error = formatted("largest relative error %.1e", here.facts[arm].max_rel_err);
    std::printf("right %s: %s\n", row_name(here.point, *here.arms[arm]).c_str(), error.c_str());
    result.leave_out(*here.arms[arm], "SKIPPED", "not timed (--mode C); right, " + error);
  }
  for (const LeftOut& entry : here.left_out) result.leave_out(*entry.impl, entry.status, entry.reason);
  return head + formatted(" %.0f right", static_cast<double>(here.arms.size()));
}

Launch PointRun::measure_launch(Workbench& bench, const PointResult& result, const std::vector<Arm*>& arms,
                                std::size_t rounds) {
  const Point& point = result.point;
  Launch launch;
  const double cost = estimated_seconds(session_, point, rounds);
  for (int attempt = 0; attempt < 2; ++attempt) {
    std::vector<std::string> wrong;
    launch.attempts.push_back(swiglu::bench::measure(session_, bench, point, arms, rounds, random_, wrong));
    for (std::size_t arm = 0; arm < arms.size(); ++arm) {
      if (!wrong[arm].empty()) wrong_[result.arms[arm]] = wrong[arm];
    }
    launch.chosen = launch.attempts.size() - 1;
    launch.drift = session_.drifted(typical_roof(launch.attempts.back()), point.isa, point.threads);
    if (!launch.drift || interrupted() || cost > redo_budget_) break;
    redo_budget_ -= cost;
  }
  if (launch.attempts.back().rounds.size() < kMinRounds && launch.attempts.size() > 1) {
    launch.attempts.pop_back();
    launch.chosen = 0;
  }
  return launch;
}

}  // namespace swiglu::bench
