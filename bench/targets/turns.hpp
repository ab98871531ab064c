#pragma once

#include <vector>

#include "comparison.hpp"
#include "targets/targets.hpp"
#include "workbench.hpp"

namespace swiglu::bench {

/// The verified arms of a point and what was measured of them.
struct Comparison {
  std::vector<Arm*> arms;
  std::vector<double> errors;  // by arm, from verification
  std::vector<Round> rounds;
};

/// One point, whose first arm is looked at; measured in turns with others: shapes, T and thread counts are compared
/// within the same seconds, as `paired` does it for implementations of one point.
struct Turn {
  Workbench* bench;
  Point point;
  bool rotation_enough = false;
  Comparison comparison = {};
};

/// A verified point. Throws WrongResult, or std::runtime_error if an implementation is not available.
Turn make_turn(Workbench& bench, const Point& point);

/// An object as a host makes it: the ISA of the run, and the process's pool.
FeedForward native_block(const TargetRun& run, const Shape& shape, std::size_t threads, const Weights& weights);

/// `rounds` rounds of all turns, in random order in each. Throws std::runtime_error if interrupted.
void measure_in_turns(TargetRun& run, std::vector<Turn>& turns, std::size_t rounds);

/// `rounds` more rounds of one turn. Throws WrongResult if the timed calls left a wrong result, std::runtime_error if
/// interrupted.
void measure_rounds(TargetRun& run, Turn& turn, std::size_t rounds);

/// The same as a result of `paired`, for rows and pairs.
PointResult result_of(const Turn& turn);

/// "2048/5632, T = 16"
std::string name_of(const Point& point);

/// Medians over rounds, each round against its own roofs.
double pct_roof(const Turn& turn, std::size_t arm = 0);
double pct_bw(const Turn& turn, std::size_t arm = 0);
bool cold(const Turn& turn, std::size_t arm = 0);  ///< certified: at most 1.10 × the read bandwidth

/// t_base / t_other by round, with its interval.
Ratio speed_up(const Turn& base, const Turn& other);

}  // namespace swiglu::bench
