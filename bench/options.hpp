#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lists.hpp"
#include "points.hpp"

namespace swiglu::bench {

/// The command line. Empty lists mean "what the preset says".
struct Options {
  std::string command;
  std::string preset = "smoke";
  std::vector<std::string> models;
  std::vector<std::size_t> d_model, tokens, align, hidden;
  std::vector<std::string> threads, isas;  // words ("max", "auto") are resolved on the machine
  HiddenChoice h_rule = HiddenChoice::exact;
  std::vector<Impl> impls;
  Cache cache = Cache::wei;
  std::size_t llc_bytes = 0;  // 0 = as reported
  std::vector<int> cpus;      // empty = all usable
  bool pin = true;
  std::size_t rounds = 0;  // 0 = the preset's
  double sample_seconds = 10e-3;
  double max_point_seconds = 0;  // 0 = the preset's
  std::uint64_t seed = 1;
  std::string filter;
  bool quick = false, markdown = false;  // targets
  bool list = false, dry_run = false, help = false;
  bool keep_samples = true;
  std::string out;
  std::vector<std::pair<std::string, std::string>> context;
  double max_median_error = 1e-6;
  std::vector<std::string> files;             // positional (check)
  std::vector<std::string> google_benchmark;  // --benchmark_*, as given
  std::string argv;                           // the whole line, for the results
};

/// Throws UsageError.
Options parse_options(int argc, char** argv);

/// `command` empty: all commands.
std::string help_text(const std::string& command);

}  // namespace swiglu::bench
