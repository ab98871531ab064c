#include "flags.hpp"

#include <algorithm>
#include <cstdlib>

#include "suggest.hpp"
#include "swiglu/error.h"

namespace swiglu::bench {
namespace {

using Value = const std::string&;

// Commands that an option belongs to, one letter each.
constexpr const char* kAll = "prtmc";     // paired, run, targets, machine, check
constexpr const char* kPoints = "prb";    // what is measured; b: also in a line of --batch
constexpr const char* kImpls = "prcb";    // by whom
constexpr const char* kThreads = "prtb";  // and where
constexpr const char* kIsas = "prtmcb";
constexpr const char* kSweeps = "pr";    // what has points
constexpr const char* kLists = "prt";    // what has parts that a filter can choose
constexpr const char* kPrints = "prtm";  // what can be printed in several formats
constexpr const char* kPaired = "p";
constexpr const char* kRun = "r";

template <class Choice>
struct Word {
  const char* name;
  Choice choice;
};
template <class Choice, std::size_t N>
Choice parse_word(const std::string& option, Value text, const Word<Choice> (&words)[N]) {
  std::vector<std::string> names;
  for (const auto& word : words) {
    if (text == word.name) return word.choice;
    names.push_back(word.name);
  }
  throw UsageError(not_one_of(option, text, names));
}

constexpr Word<Format> kFormats[] = {{"console", Format::console},
                                     {"md", Format::markdown},
                                     {"json", Format::json},
                                     {"jsonl", Format::jsonl},
                                     {"csv", Format::csv}};
constexpr Word<Format> kFileFormats[] = {
    {"json", Format::json}, {"jsonl", Format::jsonl}, {"csv", Format::csv}, {"md", Format::markdown}};
constexpr Word<Mode> kModes[] = {
    {"C", Mode::correctness}, {"P", Mode::performance}, {"CP", Mode::both}, {"L", Mode::list}};

/// "0,2,4-7"
std::vector<int> parse_cpus(Value text) {
  constexpr std::size_t kMost = 65535;
  std::vector<int> cpus;
  const auto number = [](Value word) {
    return static_cast<int>(parse_integer("--cpus", word, 0, kMost, "the number of a CPU, as in 0,2,4-7"));
  };
  for (const auto& part : split_list("--cpus", text)) {
    const auto [begin, end] = range_ends("--cpus", part);
    const int first = number(begin), last = number(end);
    if (last < first) throw UsageError("--cpus: range '" + part + "' runs backwards");
    for (int cpu = first; cpu <= last; ++cpu) {
      if (std::find(cpus.begin(), cpus.end(), cpu) != cpus.end()) {
        throw UsageError("--cpus: CPU " + std::to_string(cpu) + " is there twice");
      }
      cpus.push_back(cpu);
    }
  }
  return cpus;
}

/// "0.2", "0.2s", "200ms" → seconds
double parse_seconds(const std::string& option, std::string text) {
  double unit = 1;
  if (text.size() > 2 && text.compare(text.size() - 2, 2, "ms") == 0) {
    unit = 1e-3;
    text.resize(text.size() - 2);
  } else if (!text.empty() && text.back() == 's') {
    text.pop_back();
  }
  return unit * parse_positive(option, text);
}

/// Bytes, with K, M or G (1024) behind; "auto" = 0.
std::size_t parse_bytes(const std::string& option, Value text) {
  if (text == "auto") return 0;
  const std::size_t unit = text.empty() ? std::string::npos : std::string("KMG").find(text.back());
  const int shift = unit == std::string::npos ? 0 : 10 * static_cast<int>(unit + 1);
  const std::string digits = shift == 0 ? text : text.substr(0, text.size() - 1);
  return parse_integer(option, digits, 1, SIZE_MAX >> shift, "a number of bytes, such as 32M, 1G or auto") << shift;
}

std::string parse_path(const std::string& option, Value text) {
  if (text.empty()) throw UsageError(option + ": the name of the file is empty");
  return text;
}

/// For a list in which a second mention changes nothing.
template <class Element>
void add_once(std::vector<Element>& list, const Element& element) {
  if (std::find(list.begin(), list.end(), element) == list.end()) list.push_back(element);
}

const std::vector<Flag> kFlags = {
    {"--preset", "NAME", kPoints, "smoke (< 1 min), gate (12 points), report (5 min) or full; default smoke",
     [](Options& o, Value v) { o.preset = v; }},
    {"--models", "LIST", kPoints, "in place of the preset's shapes: some of the model table (names, or all)",
     [](Options& o, Value v) { o.models = split_list("--models", v); }},
    {"--d-model", "LIST", kPoints, "likewise: a sweep of d_model; d_ff follows --h-rule and --align",
     [](Options& o, Value v) { o.d_model = parse_sizes("--d-model", v); }},
    {"--tokens", "LIST", kPoints, "rows of x per call (T)",
     [](Options& o, Value v) { o.tokens = parse_sizes("--tokens", v); }},
    {"--align", "LIST", kPoints, "d_ff is a multiple of these; default 256",
     [](Options& o, Value v) { o.align = parse_sizes("--align", v); }},
    {"--h-rule", "RULE", kPoints, "exact: odd multiple nearest to 8d/3 (default); round-up: LLaMA's; fixed: --hidden",
     [](Options& o, Value v) { o.h_rule = parse_hidden_choice(v); }},
    {"--hidden", "LIST", kPoints, "d_ff, with --h-rule fixed",
     [](Options& o, Value v) { o.hidden = parse_sizes("--hidden", v); }},
    {"--threads", "LIST", kThreads, "numbers or max (physical cores, within affinity and cgroup quota)",
     [](Options& o, Value v) { o.threads = split_list("--threads", v); }},
    {"--isa", "LIST", kIsas, "auto, portable (= scalar), avx2, avx512, neon; each held against its own peak",
     [](Options& o, Value v) {
       for (auto name : split_list("--isa", v)) {
         if (name == "scalar") name = "portable";
         const std::vector<std::string> names = {"auto", "portable", "avx2", "avx512", "neon"};
         if (std::find(names.begin(), names.end(), name) == names.end())
           throw UsageError(not_one_of("--isa", name, names));
         add_once(o.isas, name);
       }
     }},
    {"--dtype", "NAME", kPoints, "f32, the only one there is",
     [](Options&, Value v) {
       if (v != "f32") throw UsageError("--dtype: '" + v + "' is not supported, only f32");
     }},
    {"--impl", "LIST", kImpls, "implementations, see above; default: what the preset says",
     [](Options& o, Value v) {
       for (const auto& name : split_list("--impl", v)) add_once(o.impls, &find_implementation(name, "--impl"));
     }},
    {"--activation", "ACT", kPoints, "PRESET[:NAME=VALUE,…] of activation.h, such as geglu_tanh; default swiglu",
     [](Options& o, Value v) {
       try {
         const Activation activation = parse_activation(v);
         o.activation = activation == Activation() ? "" : to_string(activation);
       } catch (const InvalidArgument& error) {
         throw UsageError("--activation: " + std::string(error.what()));
       }
     }},
    {"--cold-cache", "MODE", kPoints,
     "wei: rotate weights over more than the last-level cache (default); all: x, y, scratch too; none: hot",
     [](Options& o, Value v) { o.cache = parse_cache(v); }},
    {"--baseline", "IMPL", kPaired, "with --contender: measure these two and their ratio only",
     [](Options& o, Value v) { o.baseline = &find_implementation(v, "--baseline"); }},
    {"--contender", "IMPL", kPaired, "default native",
     [](Options& o, Value v) { o.contender = &find_implementation(v, "--contender"); }},
    {"--mode", "C|P|CP|L", kSweeps, "compare with double, time, both (default), or list names",
     [](Options& o, Value v) { o.mode = parse_word("--mode", v, kModes); }},
    {"--llc-bytes", "N", kAll, "size of the last-level cache, if the machine reports it wrongly; K, M, G; auto",
     [](Options& o, Value v) { o.llc_bytes = parse_bytes("--llc-bytes", v); }},
    {"--arena-bytes", "N", kAll, "memory that the bandwidth probes read; auto: 4 caches, at least 512M",
     [](Options& o, Value v) { o.arena_bytes = parse_bytes("--arena-bytes", v); }},
    {"--hugepages", "off|thp", kAll, "transparent huge pages; default thp (explicit ones are not supported)",
     [](Options& o, Value v) {
       if (v == "explicit") throw UsageError("--hugepages: 'explicit' (hugetlbfs) is not supported; off or thp");
       o.huge_pages = parse_word("--hugepages", v, {Word<bool>{"off", false}, Word<bool>{"thp", true}});
     }},
    {"--cpus", "LIST", kAll, "CPUs to use, in this order (0,2,4-7); also --cpu-affinity",
     [](Options& o, Value v) { o.cpus = parse_cpus(v); }},
    {"--cpu-affinity", "LIST", kAll, nullptr, [](Options& o, Value v) { o.cpus = parse_cpus(v); }},
    {"--no-pin", nullptr, kAll, "do not restrict the threads to CPUs", [](Options& o, Value) { o.pin = false; }},
    {"--numa", "none", kAll, "placement over nodes is not supported: use numactl and --cpus",
     [](Options&, Value v) {
       if (v != "none")
         throw UsageError("--numa: '" + v + "' is not supported, only none; run under numactl and give --cpus");
     }},
    {"--prio", "N", kAll, "nice value of the process, -20..19",
     [](Options& o, Value v) {
       char* end = nullptr;
       const long nice = std::strtol(v.c_str(), &end, 10);
       if (v.empty() || *end != '\0' || nice < -20 || nice > 19)
         throw UsageError("--prio: '" + v + "' is not an integer from -20 to 19");
       o.priority = static_cast<int>(nice);
     }},
    {"--batch", "FILE", kSweeps, "one sweep per line, written in the options from --preset to --cold-cache; # comments",
     [](Options& o, Value v) { o.batch_file = parse_path("--batch", v); }},
    {"--rounds", "N", kPaired, "rounds per point and launch",
     [](Options& o, Value v) { o.rounds = parse_size("--rounds", v); }},
    {"--launches", "N", kPaired, "processes, one after the other, whose spread is in the intervals; default 1",
     [](Options& o, Value v) { o.launches = parse_size("--launches", v); }},
    {"--launch", "N", kPaired, nullptr,
     [](Options& o, Value v) { o.launch = parse_integer("--launch", v, 0, SIZE_MAX, "0 or a positive integer"); }},
    {"--confidence", "X", kPaired, "of the bounds of ratios; default 0.99",
     [](Options& o, Value v) {
       o.confidence = parse_positive("--confidence", v);
       if (o.confidence <= 0.5 || o.confidence >= 1) throw UsageError("--confidence: '" + v + "' is not in (0.5, 1)");
     }},
    {"--sample-ms", "X", kPaired, "time of one sample; default 10",
     [](Options& o, Value v) {
       o.sample_seconds = parse_positive("--sample-ms", v) * 1e-3;
       if (o.sample_seconds > 60) throw UsageError("--sample-ms: '" + v + "' is more than a minute");
     }},
    {"--min-time", "SECONDS", kRun, "Google Benchmark's, per repetition",
     [](Options& o, Value v) {
       o.google_benchmark.push_back("--benchmark_min_time=" + std::to_string(parse_seconds("--min-time", v)));
     }},
    {"--min-warmup-time", "SECONDS", kRun, "Google Benchmark's",
     [](Options& o, Value v) {
       o.google_benchmark.push_back("--benchmark_min_warmup_time=" +
                                    std::to_string(parse_seconds("--min-warmup-time", v)));
     }},
    {"--repetitions", "N", kRun, "Google Benchmark's",
     [](Options& o, Value v) {
       o.google_benchmark.push_back("--benchmark_repetitions=" + std::to_string(parse_repetitions("--repetitions", v)));
     }},
    {"--max-point-seconds", "X", kLists,
     "fewer rounds, then SKIPPED, for points that need longer; default 20 (report: 10; targets: 90, fixed)",
     [](Options& o, Value v) { o.max_point_seconds = parse_positive("--max-point-seconds", v); }},
    {"--seed", "N", kLists, "order of points and arms, and the data; default 1",
     [](Options& o, Value v) { o.seed = parse_integer("--seed", v, 0, SIZE_MAX, "0 or a positive integer"); }},
    {"--filter", "REGEX", kLists, "only rows whose name matches",
     [](Options& o, Value v) {
       parse_regex("--filter", v);
       o.filter = v;
     }},
    {"--list", nullptr, kLists, "print the names of the rows and stop; the same as --mode L",
     [](Options& o, Value) { o.mode = Mode::list; }},
    {"--dry-run", nullptr, kLists, "print the names with estimated seconds and stop",
     [](Options& o, Value) { o.dry_run = true; }},
    {"--format", "NAME", kPrints, "what goes to stdout: console (default), md, json, jsonl or csv",
     [](Options& o, Value v) { o.format = parse_word("--format", v, kFormats); }},
    {"--out", "FILE", kAll, "write results, whole or not at all",
     [](Options& o, Value v) { o.out = parse_path("--out", v); }},
    {"--out-format", "NAME", kAll, "json (default), jsonl, csv or md",
     [](Options& o, Value v) { o.out_format = parse_word("--out-format", v, kFileFormats); }},
    {"--resume", "FILE", kPaired, "go on with an interrupted run: measure what FILE lacks, and write --out (or FILE)",
     [](Options& o, Value v) { o.resume = parse_path("--resume", v); }},
    {"--context", "KEY=VALUE", kAll, "goes into the context of the results",
     [](Options& o, Value v) {
       const auto equals = v.find('=');
       if (equals == std::string::npos || equals == 0) throw UsageError("--context: '" + v + "' is not KEY=VALUE");
       o.context.emplace_back(v.substr(0, equals), v.substr(equals + 1));
     }},
    {"--no-samples", nullptr, kPaired, "leave the raw samples out of the results (which cannot be resumed then)",
     [](Options& o, Value) { o.keep_samples = false; }},
    {"--quick", nullptr, "ts", "targets: fewer shapes and rounds, < 90 s; selfcheck: without what judges a time",
     [](Options& o, Value) { o.quick = true; }},
    {"--max-median-error", "X", "c", "limit of check; default 1e-6",
     [](Options& o, Value v) { o.max_median_error = parse_positive("--max-median-error", v); }},
    {"--help", nullptr, "prtmcs", "this text", [](Options& o, Value) { o.help = true; }},
};

const std::vector<Command> kCommands = {
    {"paired", 'p', "compare implementations, interleaved, roofs beside each block; every ratio comes from here"},
    {"run", 'r', "Google Benchmark: families ffn, elementwise, machine; --benchmark_* flags pass through"},
    {"targets", 't', "every target that the library set itself: value, target, met or missed"},
    {"machine", 'm', "measure peaks, bandwidths, the bandwidth curve, core-to-core round trip"},
    {"check", 'c', "real weights: error per token against double; exit 1 if the median is over the limit"},
    {"report", 'h', "results in, report out (scripts/report; takes its options)"},
    {"selfcheck", 's', "break the harness on purpose and see that it notices; measure its overhead"},
};

}  // namespace

const std::vector<Command>& commands() { return kCommands; }
const std::vector<Flag>& flags() { return kFlags; }

const Command* find_command(const std::string& name) {
  for (const auto& command : kCommands) {
    if (name == command.name) return &command;
  }
  return nullptr;
}

}  // namespace swiglu::bench
