#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "json.hpp"

namespace swiglu::bench {

/// Google Benchmark's console output, with our row names, and every run handed on as a row of results in its format.
/// Bridges what changed between 1.7 and 1.9 (how a skipped run is marked).
class GoogleReporter : public benchmark::ConsoleReporter {
 public:
  using Sink = std::function<void(const std::string& name, Json row)>;
  explicit GoogleReporter(Sink sink);

  void ReportRuns(const std::vector<Run>& runs) override;

 private:
  Sink sink_;
};

}  // namespace swiglu::bench
