// All arms of a point take turns in one process; ratios come from here and nowhere else.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "commands.hpp"
#include "comparison.hpp"
#include "formatted.hpp"
#include "launches.hpp"
#include "point_run.hpp"
#include "progress.hpp"
#include "results_file.hpp"
#include "rows.hpp"
#include "session.hpp"
#include "stats.hpp"
#include "tallies.hpp"
#include "workbench.hpp"

namespace swiglu::bench {
namespace {

using Impls = std::vector<const Implementation*>;
using Group = std::vector<PointResult*>;

Impls impls_of(const Group& group) {
  Impls impls;
  for (const PointResult* result : group) {
    for (const Implementation* impl : result->point.impls) {
      if (std::find(impls.begin(), impls.end(), impl) == impls.end()) impls.push_back(impl);
    }
  }
  return impls;
}

class PairedRun {
 public:
  explicit PairedRun(const Options& options)
      : session_(options), random_(options.seed + 1000 * options.launch.value_or(0)) {
    for (Point& point : build_points(options, session_.limits())) results_.emplace_back().point = std::move(point);
    if (results_.empty()) throw UsageError("no points: " + left_nothing(options));
    for (const PointResult& result : results_) session_.cpus_for(result.point.threads);
    plan_.rounds = options.rounds > 0 ? options.rounds : preset_rounds(options.preset);
    plan_.launches = options.launches;
    plan_.verified = options.mode != Mode::performance;
    plan_.confidence = options.confidence;
    if (plan_.rounds < kMinRounds) throw UsageError("--rounds: an interval needs at least 5 rounds");
    if (options.launch && *options.launch >= options.launches) throw UsageError("--launch: must be below --launches");
    session_.set_context("plan", plan_text());
    session_.set_context("points_planned", planned_rows());
    session_.set_context("launches", options.launches);
    session_.set_context("confidence", options.confidence);
    if (!options.resume.empty()) resume(options.resume);
  }

  int run() {
    const Options& options = session_.options();
    if (options.list()) return list(false);
    if (options.dry_run || options.launches == 1 || options.launch) calibrate();
    if (options.dry_run) return list(true);
    if (options.launches > 1 && !options.launch) {
      run_launches();
    } else {
      run_here(options.launch.value_or(0));
    }
    write();
    if (options.launch) return exit_code();  // the run as a whole does the talking
    if (!options.out.empty()) std::fprintf(stderr, "results: %s\n", options.out.c_str());
    if (interrupted()) {
      std::fprintf(stderr, "interrupted: %zu of %s measured%s\n", measured_points(),
                   counted(results_.size(), "point").c_str(),
                   options.out.empty() ? "; without --out they are lost" : "");
      if (!options.out.empty() && options.keep_samples && options.out_format == Format::json) {
        std::fprintf(stderr, "the same command with --resume %s goes on\n", options.out.c_str());
      }
    }
    session_.print();
    if (options.format == Format::console) {
      std::printf("%s measured in %s\n", counted(measured_points(), "point").c_str(),
                  minutes(session_.seconds()).c_str());
      print_tallies(results_, plan_, options.contender, options.baseline);
    }
    return exit_code();
  }

 private:
  int exit_code() const {
    for (const PointResult& result : results_) {
      for (const LeftOut& entry : result.left_out) {
        if (entry.status == "WRONG") return kWrong;
      }
    }
    if (interrupted()) return kInterrupted;
    for (const PointResult& result : results_) {
      for (const std::string& name : result.holes()) {
        std::fprintf(stderr, "missing: %s was planned, and is neither measured nor left out\n", name.c_str());
        return kCouldNotMeasure;
      }
    }
    const bool nothing = measured_points() == 0 && session_.options().mode != Mode::correctness;
    return nothing || session_.has_invalid_rows() ? kCouldNotMeasure : kOk;
  }

  std::size_t planned_rows() const {
    std::size_t rows = 0;
    for (const PointResult& result : results_) rows += result.point.impls.size();
    return rows;
  }

  std::size_t measured_points() const {
    return static_cast<std::size_t>(
        std::count_if(results_.begin(), results_.end(), [](const PointResult& r) { return r.measured(); }));
  }

  /// What two runs must agree in for one to go on with the other: a hash of the rows (FNV-1a) and how each is measured.
  std::string plan_text() const {
    std::uint64_t hash = 14695981039346656037u;
    for (const PointResult& result : results_) {
      for (const Implementation* impl : result.point.impls) {
        for (const char c : row_name(result.point, *impl) + result.point.shape.set + "\n") {
          hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
        }
      }
    }
    char text[160];
    std::snprintf(text, sizeof text, "%zu rows %016llx, %zu rounds of %g ms, %zu launches, seed %llu", planned_rows(),
                  static_cast<unsigned long long>(hash), plan_.rounds, session_.options().sample_seconds * 1e3,
                  plan_.launches, static_cast<unsigned long long>(session_.options().seed));
    return text;
  }

  void resume(const std::string& path) {
    const Json document = read_document("--resume", path);
    const Json mine = session_.document();
    const auto must_agree = [&](const char* section, const char* key, const char* what) {
      const std::string theirs = document.at(section).find(key) ? document.at(section).at(key).plain() : "";
      const std::string ours = mine.at(section).at(key).plain();
      if (theirs == ours) return;
      throw UsageError("--resume: " + path + " is of another " + what + " ('" + theirs + "', here '" + ours + "')");
    };
    must_agree("machine", "cpu_model", "machine");
    must_agree("context", "host_name", "machine");
    must_agree("context", "git_sha", "revision");
    must_agree("context", "git_dirty", "revision (uncommitted changes)");
    must_agree("context", "compiler", "compiler");
    must_agree("context", "tuning", "tuning (SWIGLU_TUNING)");
    must_agree("context", "plan", "preset or command line");
    std::vector<Point> points;
    for (const PointResult& result : results_) points.push_back(result.point);
    try {
      results_ = read_results(document, points);
      if (!session_.options().launch) session_.adopt_calibration(document);  // a launch hands on only its own
    } catch (const std::runtime_error& error) {
      throw UsageError("--resume: " + path + ": " + error.what());
    }
    session_.set_context("resumed", true);
    resumed_ = true;
  }

  int list(bool with_seconds) {
    double total = 0;
    for (const PointResult& result : results_) {
      const double seconds = with_seconds ? estimated(result.point) : 0;
      total += seconds;
      for (const Implementation* impl : result.point.impls) {
        const double share = seconds / static_cast<double>(result.point.impls.size());
        std::printf("%s%s\n", row_name(result.point, *impl).c_str(),
                    with_seconds ? formatted("  %.2f s", share).c_str() : "");
      }
    }
    if (!with_seconds) return kOk;
    for (const Group& group : groups(0))
      total += estimated_setup_seconds(session_, group.front()->point, impls_of(group));
    std::printf("%s, %s, about %s\n", counted(results_.size(), "point").c_str(),
                counted(plan_.launches, "launch").c_str(),
                minutes(total * static_cast<double>(plan_.launches)).c_str());
    return kOk;
  }

  /// With the rounds that it will get.
  double estimated(const Point& point) const {
    const std::size_t rounds = affordable_rounds(session_, point, plan_.rounds);
    return rounds == 0 ? 0 : estimated_seconds(session_, point, rounds);
  }

  void calibrate() {
    std::vector<Isa> isas;
    std::vector<std::size_t> threads;
    for (const PointResult& result : results_) {
      const Point& point = result.point;
      if (std::find(isas.begin(), isas.end(), point.isa) == isas.end()) isas.push_back(point.isa);
      if (std::find(threads.begin(), threads.end(), point.threads) == threads.end()) threads.push_back(point.threads);
    }
    session_.calibrate(isas, threads);
  }

  /// Whether launch `index` has nothing to do for a point.
  static bool done(const PointResult& result, std::size_t index) {
    return result.has_launch(index) || (result.arms.empty() && result.left_out.size() == result.point.impls.size());
  }

  /// What is still to be measured, points that share objects together; groups and points in random order so that drift
  /// hits all alike.
  std::vector<Group> groups(std::size_t launch) {
    std::vector<Group> groups;
    for (PointResult& result : results_) {
      if (done(result, launch)) continue;
      const auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
        return Workbench::shares(g.front()->point, result.point);
      });
      if (group == groups.end()) {
        groups.push_back({&result});
      } else {
        group->push_back(&result);
      }
    }
    std::shuffle(groups.begin(), groups.end(), random_);
    for (auto& group : groups) std::shuffle(group.begin(), group.end(), random_);
    return groups;
  }

  void run_here(std::size_t launch) {
    const auto todo = groups(launch);
    double total = 0;
    std::size_t points = 0;
    for (const Group& group : todo) {
      total += estimated_setup_seconds(session_, group.front()->point, impls_of(group));
      points += group.size();
      for (const PointResult* result : group) total += estimated(result->point);
    }
    if (resumed_) std::fprintf(stderr, "resuming: %zu of %s left\n", points, counted(results_.size(), "point").c_str());
    Progress progress(points, total, launch, plan_.launches);
    PointRun point_run(session_, plan_, random_, progress, launch, total);
    for (const Group& group : todo) {
      if (interrupted()) break;
      measure_group(group, point_run, progress);
      write();  // whatever happens to the process from here on
    }
  }

  /// Processes one after the other; each result is merged as soon as it is there.
  void run_launches() {
    const std::string file = launch_file(session_.options().out);
    std::vector<Point> points;
    for (const PointResult& result : results_) points.push_back(result.point);
    for (std::size_t launch = 0; launch < plan_.launches && !interrupted(); ++launch) {
      const bool nothing_left =
          std::all_of(results_.begin(), results_.end(), [&](const PointResult& r) { return done(r, launch); });
      if (nothing_left) continue;
      const int code = run_launch(session_.options(), launch, file, resumed_ ? session_.options().resume : "");
      if (code == kCouldNotMeasure) {
        unlink(file.c_str());
        throw std::runtime_error("launch " + std::to_string(launch + 1) + " could not measure (see above)");
      }
      if (code == kInterrupted && access(file.c_str(), R_OK) != 0) return;  // before its first result
      const Json document = read_document("launch", file);
      unlink(file.c_str());
      auto measured = read_results(document, points);
      for (std::size_t i = 0; i < results_.size(); ++i) {
        auto& launches = measured[i].launches;  // with --resume it also carries what was there before
        launches.erase(std::remove_if(launches.begin(), launches.end(),
                                      [&](const Launch& entry) { return results_[i].has_launch(entry.index); }),
                       launches.end());
        if (!launches.empty() || !measured[i].left_out.empty()) results_[i].merge(std::move(measured[i]));
      }
      session_.adopt_calibration(document);
      write();
    }
  }

  void measure_group(const Group& group, PointRun& point_run, Progress& progress) {
    const Impls impls = impls_of(group);
    const double setup = estimated_setup_seconds(session_, group.front()->point, impls);
    Workbench bench(session_, group.front()->point, impls);
    for (PointResult* result : group) {
      if (interrupted()) return;
      const std::string text = point_run.measure(bench, *result);
      progress.step(estimated(result->point) + setup / static_cast<double>(group.size()), text);
    }
  }

  void write() {
    session_.clear_results();
    for (const PointResult& result : results_) {
      for (Json& row : point_rows(result, plan_)) session_.add_row(std::move(row));
      const Options& options = session_.options();
      for (Json& row : point_pairs(result, plan_, options.contender, options.baseline))
        session_.add_pair(std::move(row));
      if (!options.keep_samples) continue;
      for (Json& row : point_samples(result)) session_.add_sample(std::move(row));
    }
    session_.write();
  }

  Session session_;
  std::mt19937_64 random_;
  std::vector<PointResult> results_;  // in plot order
  Plan plan_;
  bool resumed_ = false;
};

}  // namespace

int command_paired(const Options& options) { return PairedRun(options).run(); }

}  // namespace swiglu::bench
