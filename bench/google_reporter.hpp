#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "json.hpp"

namespace swiglu::bench {

/// Google Benchmark's console output, with our row names, and every run handed on as a row of results in its format.
/// Bridges what changed between 1.7 and 1.9 (how a skipped run is marked). Its warning that it was built as DEBUG, as
/// Debian's is, is replaced by what that means here: nothing, since it only counts iterations and prints.
class GoogleReporter : public benchmark::ConsoleReporter {
 public:
  using Sink = std::function<void(const std::string& name, Json row)>;
  explicit GoogleReporter(Sink sink);

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;

 private:
  Sink sink_;
};

}  // namespace swiglu::bench
