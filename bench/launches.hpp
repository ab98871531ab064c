#pragma once

#include <string>
#include <vector>

#include "options.hpp"

namespace swiglu::bench {

/// Runs this program once more as launch `index` of the same command line, with results into `out`. It leaves out what
/// `done` (a results file, or empty) already has of that launch. An interrupt is handed on. Returns its exit code (with
/// kInterrupted `out` may be missing); throws std::runtime_error if it cannot start or is killed.
int run_launch(const Options& options, std::size_t index, const std::string& out, const std::string& done);

/// A file name for the results of a launch, beside `out` or in the temporary folder.
std::string launch_file(const std::string& out);

}  // namespace swiglu::bench
