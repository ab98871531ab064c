#pragma once

#include <cstddef>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace swiglu::bench {

/// --benchmark_* flags: those that are obeyed here, and what is left for Google Benchmark.
struct GoogleFlags {
  /// --benchmark_min_time differs between versions: 1.7 refuses the suffix "0.1s", later ones want it. So it is read
  /// here, in both spellings, and set for each benchmark; "20x" is a number of iterations.
  double min_seconds = 0.05;
  std::size_t iterations = 0;  ///< 0 = as many as min_seconds take

  /// --benchmark_filter, applied to our row names rather than to names with settings at their end.
  std::optional<std::regex> filter;
  bool inverted = false;  ///< it began with a minus

  std::vector<std::string> rest;

  bool wants(const std::string& name) const { return !filter || std::regex_search(name, *filter) != inverted; }
};

/// Reads the flags and initialises Google Benchmark with the rest, which would report some faults only after a minute,
/// with an exit code of its own. Throws UsageError.
GoogleFlags take_google_flags(const std::vector<std::string>& flags);

}  // namespace swiglu::bench
