#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "measurement.hpp"
#include "progress.hpp"
#include "rows.hpp"
#include "session.hpp"
#include "workbench.hpp"

namespace swiglu::bench {

/// Measures the points of one launch: verifies their arms, times those that are right, again if the machine drifted.
class PointRun {
 public:
  /// `estimated`: seconds of all points together, of which repeating some may take a share more.
  PointRun(Session& session, const Plan& plan, std::mt19937_64& random, Progress& progress, std::size_t launch,
           double estimated);

  /// Merges what was measured into `result`; returns the line for the progress.
  std::string measure(Workbench& bench, PointResult& result);

 private:
  void leave_out(PointResult& result, const Implementation& impl, const char* status, const std::string& reason);

  /// Verifies one implementation; it becomes an arm, or is left out with the reason.
  void prepare(Workbench& bench, PointResult& result, const Implementation& impl, std::vector<Arm*>& arms);

  /// --mode C: nothing is timed.
  std::string correctness(const std::string& head, PointResult& result, PointResult& here);

  /// Once, or twice if the machine was another one during the first time.
  Launch measure_launch(Workbench& bench, const PointResult& result, const std::vector<Arm*>& arms, std::size_t rounds);

  Session& session_;
  const Plan& plan_;
  std::mt19937_64& random_;
  Progress& progress_;
  std::size_t launch_;
  double redo_budget_;                                  // seconds that repeating drifted points may still take
  std::map<const Implementation*, std::string> wrong_;  // of the point in work
};

}  // namespace swiglu::bench
