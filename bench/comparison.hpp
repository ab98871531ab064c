#pragma once

#include <random>
#include <string>
#include <vector>

#include "points.hpp"
#include "roofs.hpp"
#include "sampler.hpp"
#include "workbench.hpp"

namespace swiglu::bench {

/// One round: every arm once, in random order, with the roofs measured before and after.
struct Round {
  Roof roof;                    // the higher of before and after: never in favour of an implementation
  std::vector<Sample> samples;  // by arm
  std::vector<std::size_t> order;
};

struct Comparison {
  std::vector<Arm*> arms;
  std::vector<double> errors;  // by arm, from verification
  std::vector<Round> rounds;
};

/// Measures the arms of a point that are already verified. Fewer rounds than asked for if interrupted.
void measure(Session& session, Workbench& bench, const Point& point, std::size_t rounds, std::mt19937_64& random,
             Comparison& comparison);

/// Seconds that one point takes, by the roofline model.
double estimated_seconds(const Session& session, const Point& point, std::size_t rounds);

/// Rounds that fit into --max-point-seconds; 0 = not even kMinRounds.
inline constexpr std::size_t kMinRounds = 5;
std::size_t affordable_rounds(const Session& session, const Point& point, std::size_t rounds);

/// ln(t_base/t_ours) over rounds as a ratio with its 99 % interval.
struct Ratio {
  double ratio = 0, lower = 0, upper = 0, of_medians = 0, sd_ln = 0;
  const char* verdict() const { return lower > 1 ? "win" : upper < 1 ? "loss" : "tie"; }
};
Ratio paired_ratio(const Comparison& comparison, std::size_t contender, std::size_t baseline);

}  // namespace swiglu::bench
