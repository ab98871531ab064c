#pragma once

#include <vector>

#include "options.hpp"
#include "points.hpp"

namespace swiglu::bench {

/// What the words of the command line mean on this machine.
struct MachineLimits {
  std::size_t max_threads = 1;      ///< "max"
  std::vector<Isa> isas = {};       ///< that can be run and measured, best last
  bool onednn = false;              ///< the library has that backend
  Isa onednn_isa = Isa::automatic;  ///< what oneDNN is capped to: it picks once per process (limit_onednn())
};

/// The points of a preset or of the sweep that the options describe, in plot order. Throws UsageError for what this
/// machine cannot do (an ISA it lacks, oneDNN asked for by name but not built).
std::vector<Point> build_points(const Options& options, const MachineLimits& limits);

/// Rounds per point if --rounds is not given.
std::size_t preset_rounds(const std::string& preset);

}  // namespace swiglu::bench
