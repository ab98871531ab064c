#include "google_reporter.hpp"

#include <unistd.h>

#include <ostream>
#include <sstream>

namespace swiglu::bench {
namespace {

using Run = benchmark::BenchmarkReporter::Run;

/// Why a run was skipped; empty if it was not. Up to 1.7 there is error_occurred, from 1.8 skipped.
template <class R>
auto skip_reason(const R& run, int) -> decltype(run.error_occurred, std::string()) {
  return run.error_occurred ? "skipped: " + run.error_message : "";
}
template <class R>
auto skip_reason(const R& run, long) -> decltype(run.skip_message, std::string()) {
  return static_cast<int>(run.skipped) != 0 ? "skipped: " + run.skip_message : "";
}

Json to_row(const Run& run) {
  Json row;
  const bool aggregate = run.run_type == Run::RT_Aggregate;
  row.set("name", run.benchmark_name()).set("run_name", run.run_name.str());
  row.set("family_index", run.family_index).set("per_family_instance_index", run.per_family_instance_index);
  row.set("run_type", aggregate ? "aggregate" : "iteration").set("repetitions", run.repetitions);
  if (!aggregate) row.set("repetition_index", run.repetition_index);
  row.set("threads", run.threads);
  if (aggregate) {
    row.set("aggregate_name", run.aggregate_name);
    row.set("aggregate_unit", run.aggregate_unit == benchmark::kPercentage ? "percentage" : "time");
  }
  const std::string reason = skip_reason(run, 0);
  row.set("status", reason.empty() ? "OK" : "SKIPPED");
  if (!reason.empty()) row.set("skip_reason", reason).set("error_occurred", true).set("error_message", reason);
  row.set("iterations", run.iterations);
  row.set("real_time", run.GetAdjustedRealTime()).set("cpu_time", run.GetAdjustedCPUTime());
  row.set("time_unit", benchmark::GetTimeUnitString(run.time_unit));
  if (!run.report_label.empty()) row.set("label", run.report_label);
  for (const auto& [name, counter] : run.counters) row.set(name, static_cast<double>(counter));
  return row;
}

}  // namespace

GoogleReporter::GoogleReporter(Sink sink)
    : ConsoleReporter(isatty(STDOUT_FILENO) ? OO_ColorTabular : OO_Tabular), sink_(std::move(sink)) {}

bool GoogleReporter::ReportContext(const Context& context) {
  std::ostream& errors = GetErrorStream();
  std::ostringstream text;
  SetErrorStream(&text);
  const bool go_on = ConsoleReporter::ReportContext(context);
  SetErrorStream(&errors);
  std::istringstream lines(text.str());
  for (std::string line; std::getline(lines, line);) {
    const bool about_itself = line.find("Library was built as DEBUG") != std::string::npos;
    errors << (about_itself ? "Google Benchmark is a debug build, which does not matter: times are taken outside of it"
                            : line)
           << '\n';
  }
  errors.flush();
  return go_on;
}

void GoogleReporter::ReportRuns(const std::vector<Run>& runs) {
  std::vector<Run> ours = runs;
  for (Run& run : ours) {
    // Row names are a contract; Google Benchmark appends its settings ("/min_time:0.050/manual_time").
    run.run_name.min_time.clear();
    run.run_name.repetitions.clear();
    run.run_name.time_type.clear();
    run.run_name.iterations.clear();
    run.run_name.threads.clear();
    sink_(run.run_name.function_name, to_row(run));
  }
  ConsoleReporter::ReportRuns(ours);
}

}  // namespace swiglu::bench
