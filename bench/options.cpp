#include "options.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "suggest.hpp"
#include "swiglu/error.h"

namespace swiglu::bench {
namespace {

using Value = const std::string&;

// Commands that an option belongs to, one letter each: an option that would do nothing is an error.
constexpr const char* kAll = "prtmc";    // paired, run, targets, machine, check
constexpr const char* kPoints = "prc";   // what is measured
constexpr const char* kSweeps = "pr";    // and where
constexpr const char* kLists = "prt";    // what has parts that a filter can choose
constexpr const char* kPrints = "prtm";  // what can be printed in several formats
constexpr const char* kPaired = "p";
constexpr const char* kRun = "r";

struct Flag {
  const char* name;
  const char* argument;  // null = none
  const char* commands;
  const char* help;  // null = not for people
  void (*set)(Options&, Value);
};

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
constexpr Word<Mode> kModes[] = {
    {"C", Mode::correctness}, {"P", Mode::performance}, {"CP", Mode::both}, {"L", Mode::list}};

/// "0,2,4-7"
std::vector<int> parse_cpus(Value text) {
  std::vector<int> cpus;
  const auto number = [](Value part) { return part == "0" ? 0 : static_cast<int>(parse_size("--cpus", part)); };
  for (const auto& part : split_list("--cpus", text)) {
    const std::size_t dash = part.find('-');
    const int first = number(part.substr(0, dash)),
              last = dash == std::string::npos ? first : number(part.substr(dash + 1));
    if (last < first) throw UsageError("--cpus: range '" + part + "' runs backwards");
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
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
std::size_t parse_bytes(const std::string& option, std::string text) {
  if (text == "auto") return 0;
  int shift = 0;
  const std::string units = "KMG";
  if (!text.empty()) {
    if (const auto unit = units.find(text.back()); unit != std::string::npos) {
      shift = 10 * static_cast<int>(unit + 1);
      text.pop_back();
    }
  }
  return parse_size(option, text) << shift;
}

std::vector<Options> read_batch(Value path);

const Flag kFlags[] = {
    {"--preset", "NAME", kSweeps, "smoke (< 1 min), gate (12 points), report (6-8 min) or full; default smoke",
     [](Options& o, Value v) { o.preset = v; }},
    {"--models", "LIST", kSweeps, "shapes from the model table (names, or all)",
     [](Options& o, Value v) { o.models = split_list("--models", v); }},
    {"--d-model", "LIST", kSweeps, "sweep d_model; d_ff follows --h-rule and --align",
     [](Options& o, Value v) { o.d_model = parse_sizes("--d-model", v); }},
    {"--tokens", "LIST", kSweeps, "rows of x per call (T)",
     [](Options& o, Value v) { o.tokens = parse_sizes("--tokens", v); }},
    {"--align", "LIST", kSweeps, "d_ff is a multiple of these; default 256",
     [](Options& o, Value v) { o.align = parse_sizes("--align", v); }},
    {"--h-rule", "RULE", kSweeps, "exact: odd multiple nearest to 8d/3 (default); round-up: LLaMA's; fixed: --hidden",
     [](Options& o, Value v) { o.h_rule = parse_hidden_choice(v); }},
    {"--hidden", "LIST", kSweeps, "d_ff, with --h-rule fixed",
     [](Options& o, Value v) { o.hidden = parse_sizes("--hidden", v); }},
    {"--threads", "LIST", kLists, "numbers or max (physical cores, within affinity and cgroup quota)",
     [](Options& o, Value v) { o.threads = split_list("--threads", v); }},
    {"--isa", "LIST", kAll, "auto, portable (= scalar), avx2, avx512, neon; each held against its own peak",
     [](Options& o, Value v) {
       for (auto name : split_list("--isa", v)) {
         if (name == "scalar") name = "portable";
         const std::vector<std::string> names = {"auto", "portable", "avx2", "avx512", "neon"};
         if (std::find(names.begin(), names.end(), name) == names.end())
           throw UsageError(not_one_of("--isa", name, names));
         o.isas.push_back(name);
       }
     }},
    {"--dtype", "NAME", kSweeps, "f32, the only one there is",
     [](Options&, Value v) {
       if (v != "f32") throw UsageError("--dtype: '" + v + "' is not supported, only f32");
     }},
    {"--impl", "LIST", kPoints, "implementations, see above; default: what the preset says",
     [](Options& o, Value v) {
       for (const auto& name : split_list("--impl", v)) o.impls.push_back(&find_implementation(name));
     }},
    {"--activation", "ACT", kSweeps, "PRESET[:NAME=VALUE,…] of activation.h, such as geglu_tanh; default swiglu",
     [](Options& o, Value v) {
       try {
         const Activation activation = parse_activation(v);
         o.activation = activation == Activation() ? "" : to_string(activation);
       } catch (const InvalidArgument& error) {
         throw UsageError("--activation: " + std::string(error.what()));
       }
     }},
    {"--baseline", "IMPL", kPaired, "with --contender: measure these two and their ratio only",
     [](Options& o, Value v) { o.baseline = &find_implementation(v); }},
    {"--contender", "IMPL", kPaired, "default native",
     [](Options& o, Value v) { o.contender = &find_implementation(v); }},
    {"--mode", "C|P|CP|L", kSweeps, "compare with double, time, both (default), or list names",
     [](Options& o, Value v) { o.mode = parse_word("--mode", v, kModes); }},
    {"--cold-cache", "MODE", kSweeps,
     "wei: rotate weights over more than the last-level cache (default); all: x, y, scratch too; none: hot",
     [](Options& o, Value v) { o.cache = parse_cache(v); }},
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
     [](Options& o, Value v) { o.batch = read_batch(v); }},
    {"--rounds", "N", kPaired, "rounds per point and launch",
     [](Options& o, Value v) { o.rounds = parse_size("--rounds", v); }},
    {"--launches", "N", kPaired, "processes, one after the other, whose spread is in the intervals; default 1",
     [](Options& o, Value v) { o.launches = parse_size("--launches", v); }},
    {"--launch", "N", kPaired, nullptr,
     [](Options& o, Value v) { o.launch = v == "0" ? 0 : parse_size("--launch", v); }},
    {"--confidence", "X", kPaired, "of the bounds of ratios; default 0.99",
     [](Options& o, Value v) {
       o.confidence = parse_positive("--confidence", v);
       if (o.confidence <= 0.5 || o.confidence >= 1) throw UsageError("--confidence: '" + v + "' is not in (0.5, 1)");
     }},
    {"--sample-ms", "X", kPaired, "time of one sample; default 10",
     [](Options& o, Value v) { o.sample_seconds = parse_positive("--sample-ms", v) * 1e-3; }},
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
       o.google_benchmark.push_back("--benchmark_repetitions=" + std::to_string(parse_size("--repetitions", v)));
     }},
    {"--max-point-seconds", "X", kLists,
     "fewer rounds, then SKIPPED, for points that need longer; default 20 (report: 10)",
     [](Options& o, Value v) { o.max_point_seconds = parse_positive("--max-point-seconds", v); }},
    {"--seed", "N", kLists, "order of points and arms, and the data; default 1",
     [](Options& o, Value v) { o.seed = parse_size("--seed", v); }},
    {"--filter", "REGEX", kLists, "only rows whose name matches",
     [](Options& o, Value v) {
       try {
         const std::regex check(v);
       } catch (const std::regex_error&) {
         throw UsageError("--filter: '" + v + "' is not a valid regular expression");
       }
       o.filter = v;
     }},
    {"--list", nullptr, kLists, "print the names of the rows and stop; the same as --mode L",
     [](Options& o, Value) { o.mode = Mode::list; }},
    {"--dry-run", nullptr, kLists, "print the names with estimated seconds and stop",
     [](Options& o, Value) { o.dry_run = true; }},
    {"--format", "NAME", kPrints, "what goes to stdout: console (default), md, json, jsonl or csv",
     [](Options& o, Value v) { o.format = parse_word("--format", v, kFormats); }},
    {"--out", "FILE", kAll, "write results, whole or not at all", [](Options& o, Value v) { o.out = v; }},
    {"--out-format", "NAME", kAll, "json (default), jsonl, csv or md",
     [](Options& o, Value v) {
       o.out_format = parse_word("--out-format", v, kFormats);
       if (o.out_format == Format::console) throw UsageError("--out-format: console is for --format only");
     }},
    {"--resume", "FILE", kPaired, "go on with an interrupted run: measure what FILE lacks, and write --out (or FILE)",
     [](Options& o, Value v) { o.resume = v; }},
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

struct Command {
  const char* name;
  char letter;
  const char* help;
};
const Command kCommands[] = {
    {"paired", 'p', "compare implementations, interleaved, roofs beside each block; every ratio comes from here"},
    {"run", 'r', "Google Benchmark: families ffn, elementwise, machine; --benchmark_* flags pass through"},
    {"targets", 't', "every target that the library set itself: value, target, met or missed"},
    {"machine", 'm', "measure peaks, bandwidths, the bandwidth curve, core-to-core round trip"},
    {"check", 'c', "real weights: error per token against double; exit 1 if the median is over the limit"},
    {"report", 'h', "results in, report out (scripts/report; takes its options)"},
    {"selfcheck", 's', "break the harness on purpose and see that it notices; measure its overhead"},
};

const Command* find_command(const std::string& name) {
  for (const auto& command : kCommands) {
    if (name == command.name) return &command;
  }
  return nullptr;
}

bool belongs(const Flag& flag, char letter) { return std::string(flag.commands).find(letter) != std::string::npos; }

const Flag& find_flag(const std::string& name, const Command& command) {
  std::vector<std::string> known;
  for (const auto& flag : kFlags) {
    if (name == flag.name) {
      if (belongs(flag, command.letter)) return flag;
      throw UsageError(name + " is no option of '" + command.name + "'");
    }
    if (belongs(flag, command.letter) && flag.help != nullptr) known.push_back(flag.name);
  }
  const std::string close = nearest(name, known);
  throw UsageError("unknown option '" + name + "'" + (close.empty() ? "" : "; did you mean " + close + "?") + " (see " +
                   command.name + " --help)");
}

/// words[i…] are options; returns after the last.
void parse_words(Options& options, const Command& command, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.rfind("--benchmark_", 0) == 0) {
      if (command.letter != 'r') {
        throw UsageError("--benchmark_* flags belong to 'run', not to '" + std::string(command.name) + "'");
      }
      options.google_benchmark.push_back(word);
      continue;
    }
    if (word.rfind("--", 0) != 0) {
      if (command.letter != 'c') throw UsageError("unexpected argument '" + word + "'");
      options.words.push_back(word);
      continue;
    }
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Flag& flag = find_flag(name, command);
    std::string value;
    if (flag.argument != nullptr) {
      if (equals != std::string::npos) {
        value = word.substr(equals + 1);
      } else if (i + 1 < words.size()) {
        value = words[++i];
      } else {
        throw UsageError(name + " needs a value: " + flag.argument);
      }
    } else if (equals != std::string::npos) {
      throw UsageError(name + " takes no value");
    }
    flag.set(options, value);
  }
}

void check_sweep(const Options& options) {
  if ((options.h_rule == HiddenChoice::fixed) != !options.hidden.empty()) {
    throw UsageError("--h-rule fixed and --hidden need each other");
  }
  if (!options.hidden.empty() && options.d_model.empty()) throw UsageError("--hidden needs --d-model");
  if (!options.align.empty() && options.d_model.empty()) throw UsageError("--align needs --d-model");
}

std::vector<Options> read_batch(Value path) {
  std::ifstream file(path);
  if (!file) throw UsageError("--batch: cannot read " + path);
  std::vector<Options> sweeps;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::istringstream stream(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.empty()) continue;
    Options sweep;
    try {
      for (const auto& word : words) {
        const std::string name = word.substr(0, word.find('='));
        if (name == "--out" || name == "--batch" || name == "--resume" || name == "--launches" || name == "--mode")
          throw UsageError(name + " belongs on the command line");
      }
      parse_words(sweep, kCommands[0], words);
      check_sweep(sweep);
    } catch (const UsageError& error) {
      throw UsageError("--batch: " + path + ":" + std::to_string(number) + ": " + error.what());
    }
    sweeps.push_back(sweep);
  }
  if (sweeps.empty()) throw UsageError("--batch: " + path + " has no line with options");
  return sweeps;
}

std::string shell_quoted(const std::string& word) {
  const char* safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%^";
  if (!word.empty() && word.find_first_not_of(safe) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

void append_option(std::string& text, const std::string& left, const char* help) {
  std::string column = left;
  column.resize(column.size() < 26 ? 26 : column.size() + 1, ' ');
  text += "  " + column + help + "\n";
}

}  // namespace

std::string Options::argv() const {
  std::string text;
  for (const auto& word : arguments) text += (text.empty() ? "" : " ") + shell_quoted(word);
  return text;
}

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  options.arguments = arguments;
  if (arguments.size() < 2) throw UsageError("no command; try --help");
  options.command = arguments[1];
  const std::vector<std::string> rest(arguments.begin() + 2, arguments.end());
  if (options.command == "--help" || options.command == "-h") {
    options.command.clear();
    options.help = true;
    return options;
  }
  if (options.command == "--version") return options;
  if (options.command == "report") {
    options.words = rest;
    return options;
  }
  const Command* command = find_command(options.command);
  if (command == nullptr) {
    std::vector<std::string> names;
    for (const auto& entry : kCommands) names.push_back(entry.name);
    const std::string close = nearest(options.command, names);
    throw UsageError("unknown command '" + options.command + "'" +
                     (close.empty() ? "; try --help" : "; did you mean '" + close + "'?"));
  }
  parse_words(options, *command, rest);
  if (options.contender != nullptr && options.baseline == nullptr) throw UsageError("--contender needs --baseline");
  if (options.baseline != nullptr) {
    if (options.contender == nullptr) options.contender = &kNative;
    if (!options.impls.empty()) throw UsageError("--impl does not go with --baseline: those two are what is measured");
    if (options.contender == options.baseline) throw UsageError("--baseline and --contender are the same");
    options.impls = {options.contender, options.baseline};
  }
  if (options.mode == Mode::correctness && options.launches > 1)
    throw UsageError("--mode C times nothing: one launch is enough");
  if (!options.resume.empty() && options.out.empty()) options.out = options.resume;
  if (!options.resume.empty() && options.out_format != Format::json) throw UsageError("--resume writes json only");
  if (options.max_point_seconds == 0) options.max_point_seconds = options.preset == "report" ? 10 : 20;
  check_sweep(options);
  return options;
}

std::string help_text(const std::string& command) {
  std::string text = "usage: swiglu-bench COMMAND [OPTIONS]\n\n";
  for (const auto& entry : kCommands) {
    if (!command.empty() && command != entry.name) continue;
    text += "  " + std::string(entry.name) + std::string(11 - std::string(entry.name).size(), ' ') + entry.help + "\n";
  }
  const Command* one = find_command(command);
  if (one == nullptr || belongs(*std::find_if(std::begin(kFlags), std::end(kFlags),
                                              [](const Flag& flag) { return std::string(flag.name) == "--impl"; }),
                                one->letter)) {
    text += "\nImplementations:\n";
    for (const Implementation* impl : implementations()) {
      const std::string missing = impl->missing();
      append_option(text, impl->name + (impl->alias != nullptr ? std::string(" (") + impl->alias + ")" : ""),
                    (impl->what + (missing.empty() ? "" : " [not here: " + missing + "]")).c_str());
    }
  }
  text += "\nOptions (--key value or --key=value; LIST = 1,2,8 or a range: 1-512*2, 1-40, 1-40+3):\n";
  for (const auto& flag : kFlags) {
    if (flag.help == nullptr || (one != nullptr && !belongs(flag, one->letter))) continue;
    append_option(text, flag.name + (flag.argument != nullptr ? std::string(" ") + flag.argument : ""), flag.help);
  }
  text +=
      "\nCtrl-C keeps what was measured, writes it and exits with 130 (paired --resume FILE goes on).\n"
      "Exit codes: 0 ok, 1 a wrong result, 2 usage or could not measure, 130 interrupted.\n";
  return text;
}

}  // namespace swiglu::bench
