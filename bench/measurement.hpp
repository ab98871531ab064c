#pragma once

// What was measured at one point, raw: everything in the results file is computed from this (rows.hpp), and this can be
// read back from a results file (results_file.hpp). So one process, several launches and a resumed run are the same.

#include <cstddef>
#include <string>
#include <vector>

#include "points.hpp"
#include "roofs.hpp"
#include "sampler.hpp"

namespace swiglu::bench {

/// One round: every arm once, in random order, with the roofs measured before and after.
struct Round {
  Roof roof;                    // the higher of before and after: never in favour of an implementation
  std::vector<Sample> samples;  // by arm; Sample::begin counts from the start of the launch
  std::vector<std::size_t> order;
};

/// The rounds of a point without a pause.
struct Attempt {
  Roof before, after;  ///< the first and the last anchor
  std::vector<Round> rounds;
  bool spinning_threads = false;  ///< threads of an arm still ran when the next one's turn came
};

/// One process.
struct Launch {
  std::size_t index = 0;
  std::vector<Attempt> attempts;  ///< a second one if the first drifted
  std::size_t chosen = 0;         ///< the calmer one
  bool drift = false;             ///< even that one drifted

  const std::vector<Round>& rounds() const { return attempts[chosen].rounds; }
};

/// What does not change from round to round; of an arm's first launch.
struct ArmFacts {
  std::size_t windows = 1;
  bool rotation_enough = true;
  std::size_t packed_bytes = 0, huge_bytes = 0;
  double create_ms = 0, create_first_ms = 0, first_call_us = 0;
  double max_rel_err = 0;
  std::string detail;
};

struct LeftOut {
  const Implementation* impl;
  std::string status;  ///< "SKIPPED" or "WRONG"
  std::string reason;
};

struct PointResult {
  Point point;
  std::vector<const Implementation*> arms;
  std::vector<ArmFacts> facts;  // by arm
  std::vector<LeftOut> left_out;
  std::vector<Launch> launches;

  bool measured() const { return !launches.empty() && !arms.empty(); }
  bool has_launch(std::size_t index) const;
  std::size_t arm_of(const Implementation& impl) const;  ///< arms.size() if it is none

  /// Names of rows that nobody can tell anything about: neither measured nor left out with a reason.
  std::vector<std::string> holes() const;

  /// Takes an arm out of everything and remembers why.
  void leave_out(const Implementation& impl, const std::string& status, const std::string& reason);

  /// Adds the launches of another run of the same point. An arm that either left out is left out.
  void merge(PointResult other);
};

}  // namespace swiglu::bench
