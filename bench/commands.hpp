#pragma once

#include "options.hpp"

namespace swiglu::bench {

// The commands; each returns the exit code and throws UsageError for what cannot be obeyed.
enum ExitCode { kOk = 0, kWrong = 1, kCouldNotMeasure = 2, kInterrupted = 130 };

int command_paired(const Options& options);
int command_run(const Options& options);
int command_targets(const Options& options);
int command_machine(const Options& options);
int command_check(const Options& options);
int command_report(const Options& options);
int command_selfcheck(const Options& options);

}  // namespace swiglu::bench
