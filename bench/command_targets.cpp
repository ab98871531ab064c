// The targets of the library, each measured and judged.

#include <cstdio>
#include <regex>
#include <string>
#include <vector>

#include "commands.hpp"
#include "progress.hpp"
#include "targets/targets.hpp"
#include "verify.hpp"

namespace swiglu::bench {

int command_targets(const Options& options) {
  std::vector<const Measurement*> wanted;
  for (const Measurement& measurement : measurements()) {
    if (std::regex_search(measurement.name, std::regex(options.filter))) wanted.push_back(&measurement);
  }
  if (wanted.empty()) throw UsageError("no measurements: " + left_nothing(options));
  if (options.list() || options.dry_run) {
    for (const Measurement* measurement : wanted) std::printf("%-12s %s\n", measurement->name, measurement->help);
    return kOk;
  }
  Session session(options);
  TargetRun run(session);
  session.calibrate({run.isa()}, run.threads());
  bool wrong = false, failed = false;
  for (std::size_t i = 0; i < wanted.size() && !interrupted(); ++i) {
    std::fprintf(stderr, "[%2zu/%zu  %s] %s: %s\n", i + 1, wanted.size(), minutes(session.seconds()).c_str(),
                 wanted[i]->name, wanted[i]->help);
    run.begin(wanted[i]->name);
    try {
      wanted[i]->run(run);
    } catch (const WrongResult& error) {
      wrong = true;
      run.not_measured(wanted[i]->name, std::string("WRONG result: ") + error.what());
    } catch (const UsageError&) {
      throw;
    } catch (const std::exception& error) {
      failed = true;
      run.not_measured(wanted[i]->name, error.what());
    }
  }
  session.write();
  std::fputs((options.format == Format::markdown ? markdown_table : text_table)(run.rows()).c_str(), stdout);
  if (wrong) return kWrong;
  return failed || interrupted() || session.has_invalid_rows() ? kCouldNotMeasure : kOk;
}

}  // namespace swiglu::bench
