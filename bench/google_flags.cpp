#include "google_flags.hpp"

#include <benchmark/benchmark.h>

#include "lists.hpp"
#include "results_file.hpp"
#include "suggest.hpp"

namespace swiglu::bench {
namespace {

using Words = std::vector<std::string>;

const std::string kPrefix = "--benchmark_";
const Words kKnown = {"filter",
                      "min_time",
                      "min_warmup_time",
                      "repetitions",
                      "enable_random_interleaving",
                      "report_aggregates_only",
                      "display_aggregates_only",
                      "out",
                      "out_format",
                      "color",
                      "counters_tabular",
                      "perf_counters",
                      "context",
                      "time_unit"};

void read_min_time(GoogleFlags& result, const std::string& name, std::string value) {
  const char suffix = value.empty() ? '\0' : value.back();
  if (suffix == 's' || suffix == 'x') value.pop_back();
  if (suffix == 'x') {
    result.iterations = parse_size(name, value);
  } else {
    result.min_seconds = parse_positive(name, value);
  }
}

void read_filter(GoogleFlags& result, const std::string& name, const std::string& value) {
  result.inverted = value.rfind("-", 0) == 0;
  result.filter = parse_regex(name, value.substr(result.inverted ? 1 : 0));
}

/// Whether the flag needs no Google Benchmark. Throws UsageError for values that would end the program there.
bool read_flag(GoogleFlags& result, const std::string& name, const std::string& value) {
  const auto one_of = [&](const Words& words) {
    for (const auto& word : words) {
      if (value == word) return;
    }
    throw UsageError(not_one_of(name, value, words));
  };
  if (name == "--benchmark_min_time") return read_min_time(result, name, value), true;
  if (name == "--benchmark_filter") return read_filter(result, name, value), true;
  if (name == "--benchmark_repetitions") parse_repetitions(name, value);
  if (name == "--benchmark_min_warmup_time" && value != "0") parse_positive(name, value);
  if (name == "--benchmark_out_format") one_of({"json", "console", "csv"});
  if (name == "--benchmark_time_unit") one_of({"ns", "us", "ms", "s"});
  if (name == "--benchmark_out") check_writable(name, value);
  return false;
}

}  // namespace

GoogleFlags take_google_flags(const std::vector<std::string>& flags) {
  GoogleFlags result;
  for (const auto& flag : flags) {
    const auto equals = flag.find('=');
    const bool has_value = equals != std::string::npos;
    const std::string name = flag.substr(0, equals);
    if (name == "--benchmark_list_tests") throw UsageError(name + ": --list prints the names");
    if (name == "--benchmark_format") {
      throw UsageError(name + ": the console is fixed; files: --out, or --benchmark_out with _out_format");
    }
    if (!has_value || !read_flag(result, name, flag.substr(equals + 1))) result.rest.push_back(flag);
  }
  static char program[] = "swiglu-bench";  // is remembered by address
  std::vector<char*> argv = {program};
  for (auto& flag : result.rest) argv.push_back(flag.data());
  int argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data());
  if (argc == 1) return result;
  const std::string flag = argv[1], name = flag.substr(0, flag.find('='));
  const std::string close = kPrefix + nearest(name.substr(kPrefix.size()), kKnown);
  if (close == name) throw UsageError(name + " needs a value: " + name + "=…");
  throw UsageError("Google Benchmark does not know " + name +
                   (close == kPrefix ? "" : "; did you mean " + close + "?"));
}

}  // namespace swiglu::bench
