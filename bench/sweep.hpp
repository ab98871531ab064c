#pragma once

#include <vector>

#include "options.hpp"
#include "points.hpp"

namespace swiglu::bench {

/// What the words of the command line mean on this machine.
struct MachineLimits {
  std::size_t max_threads = 1;   ///< "max"
  std::vector<Isa> isas = {};    ///< that can be run and measured, best last
  Isa own_isa = Isa::automatic;  ///< what implementations that pick their own ISA are capped to: limit_onednn()
};

/// The points of a preset or of the sweep that the options describe, in plot order. Throws UsageError for what this
/// machine cannot do (an ISA it lacks, an implementation asked for by name that this build lacks).
std::vector<Point> build_points(const Options& options, const MachineLimits& limits);

/// ISAs that --isa names, without it all that can be measured. Throws UsageError for one that this machine cannot run.
std::vector<Isa> asked_isas(const Options& options, const MachineLimits& limits);

/// Thread counts that the words mean, each once. Throws UsageError.
std::vector<std::size_t> resolve_threads(const std::vector<std::string>& words, std::size_t max_threads);

/// Rounds per point if --rounds is not given.
std::size_t preset_rounds(const std::string& preset);

}  // namespace swiglu::bench
