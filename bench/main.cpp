#include <cstdio>
#include <exception>

#include "commands.hpp"
#include "git_info.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "swiglu/swiglu.h"

namespace {

int dispatch(const swiglu::bench::Options& options) {
  using namespace swiglu::bench;
  if (options.help) {
    std::fputs(help_text(options.command).c_str(), stdout);
    return kOk;
  }
  if (options.command == "--version") {
    std::printf("swiglu-bench %s (%.12s%s)\n", swiglu::version(), BENCH_GIT_SHA, BENCH_GIT_DIRTY ? ", modified" : "");
    return kOk;
  }
  catch_interrupts();
  if (options.command == "paired") return command_paired(options);
  if (options.command == "run") return command_run(options);
  if (options.command == "targets") return command_targets(options);
  if (options.command == "machine") return command_machine(options);
  if (options.command == "check") return command_check(options);
  if (options.command == "report") return command_report(options);
  return command_selfcheck(options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return dispatch(swiglu::bench::parse_options({argv, argv + argc}));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "swiglu-bench: %s\n", error.what());
    return swiglu::bench::kCouldNotMeasure;
  }
}
