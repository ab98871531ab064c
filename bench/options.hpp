#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lists.hpp"
#include "points.hpp"

namespace swiglu::bench {

/// benchdnn's words: what to do with each point.
enum class Mode {
  correctness,  ///< C: compare with double, time nothing
  performance,  ///< P: time without comparing; rows are flagged `unverified`
  both,         ///< CP: a wrong result is never timed
  list,         ///< L: print names
};

struct Flag;

enum class Format { console, markdown, json, jsonl, csv };

/// The command line. Empty lists mean "what the preset says".
struct Options {
  std::string command;
  std::string preset = "smoke";
  std::vector<std::string> models;
  std::vector<std::size_t> d_model, tokens, align, hidden;
  std::vector<std::string> threads, isas;  // words ("max", "auto") are resolved on the machine
  HiddenChoice h_rule = HiddenChoice::exact;
  std::vector<const Implementation*> impls;
  const Implementation *contender = nullptr, *baseline = nullptr;
  std::optional<Cache> cache;
  std::string activation;      // exact text of one, empty = swiglu
  std::string batch_file;      // empty = none
  std::vector<Options> batch;  // one per line of --batch, which then say what the points are

  Mode mode = Mode::both;
  std::size_t llc_bytes = 0;    // 0 = as reported
  std::size_t arena_bytes = 0;  // 0 = automatic
  bool huge_pages = true;
  std::optional<int> priority;
  std::vector<int> cpus;  // empty = all usable
  bool pin = true;

  std::size_t rounds = 0;  // 0 = the preset's
  std::size_t launches = 1;
  std::optional<std::size_t> launch;  // this process is that launch of a run with several
  double confidence = 0.99;
  double sample_seconds = 10e-3;
  double max_point_seconds = 0;  // 0 = the preset's
  std::uint64_t seed = 1;
  std::string filter;
  bool dry_run = false, help = false;
  bool quick = false;  // targets
  bool keep_samples = true;
  std::string out, resume;
  Format format = Format::console, out_format = Format::json;
  std::vector<std::pair<std::string, std::string>> context;
  double max_median_error = 1e-6;
  std::vector<std::string> words;             // positional (check), or everything (report)
  std::vector<std::string> google_benchmark;  // --benchmark_*, as given or by our names
  std::vector<std::string> arguments;         // the whole line
  std::vector<const Flag*> given;             // its options
  std::string argv() const;                   // the same, quoted for a shell

  bool list() const { return mode == Mode::list; }
};

/// Throws UsageError.
Options parse_options(const std::vector<std::string>& arguments);

/// For the error that nothing is left to measure: why, and what shows the names.
std::string left_nothing(const Options& options);

/// `command` empty: all commands.
std::string help_text(const std::string& command);

}  // namespace swiglu::bench
