#pragma once

#include <random>
#include <string>
#include <vector>

#include "measurement.hpp"
#include "session.hpp"
#include "stats.hpp"
#include "workbench.hpp"

namespace swiglu::bench {

/// Measures the arms of a point: `rounds` rounds, fewer if interrupted. The last sample of every arm leaves a y that is
/// compared with double once more: `wrong[arm]` says what is wrong with it, empty = nothing.
Attempt measure(Session& session, Workbench& bench, const Point& point, const std::vector<Arm*>& arms,
                std::size_t rounds, std::mt19937_64& random, std::vector<std::string>& wrong);

/// Seconds that the rounds of one point take, by the roofline model.
double estimated_seconds(const Session& session, const Point& point, std::size_t rounds);

/// Seconds to create the objects of points that share them.
double estimated_setup_seconds(const Session& session, const Point& point,
                               const std::vector<const Implementation*>& impls);

/// Rounds that fit into --max-point-seconds; 0 = not even kMinRounds.
inline constexpr std::size_t kMinRounds = 5;
std::size_t affordable_rounds(const Session& session, const Point& point, std::size_t rounds);

/// t_base/t_ours with the bounds of its interval.
struct Ratio {
  double ratio = 0, lower = 0, upper = 0, of_medians = 0;
  double sd_ln = 0;      ///< of the rounds, winsorised
  double sd_launch = 0;  ///< of the launches' means; 0 with one launch
  const char* estimator = "";
  const char* verdict() const { return lower > 1 ? "win" : upper < 1 ? "loss" : "tie"; }
};

/// Of one launch: exp of the trimmed mean of ln(t_base/t_ours) over its rounds, and of its interval.
Ratio ratio_of(const TrimmedMean& of_rounds);

/// Per launch the 20 % trimmed mean of ln(t_base/t_ours) over rounds. Several launches: mean over launches and
/// one-sided bounds mean ∓ t(confidence, L-1)·sd/√L, so that what differs between processes is in the interval. One
/// launch: Yuen's two-sided interval over rounds, which cannot know that.
Ratio paired_ratio(const PointResult& result, std::size_t contender, std::size_t baseline, double confidence);

}  // namespace swiglu::bench
