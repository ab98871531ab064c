#include "options.hpp"

#include <regex>

namespace swiglu::bench {
namespace {

using Value = const std::string&;

struct Flag {
  const char* name;
  const char* argument;  // null = none
  const char* help;
  void (*set)(Options&, Value);
};

const Flag kFlags[] = {
    {"--preset", "NAME", "smoke (< 1 min), report (< 5 min), gate (4 points) or full; default smoke",
     [](Options& o, Value v) { o.preset = v; }},
    {"--models", "LIST", "shapes from the model table (names, or all)",
     [](Options& o, Value v) { o.models = split_list("--models", v); }},
    {"--d-model", "LIST", "sweep d_model; d_ff follows --h-rule and --align",
     [](Options& o, Value v) { o.d_model = parse_sizes("--d-model", v); }},
    {"--tokens", "LIST", "rows of x per call (T)", [](Options& o, Value v) { o.tokens = parse_sizes("--tokens", v); }},
    {"--align", "LIST", "d_ff is a multiple of these; default 256",
     [](Options& o, Value v) { o.align = parse_sizes("--align", v); }},
    {"--h-rule", "RULE", "exact: odd multiple nearest to 8d/3 (default); round-up: LLaMA's; fixed: --hidden",
     [](Options& o, Value v) { o.h_rule = parse_hidden_choice(v); }},
    {"--hidden", "LIST", "d_ff, with --h-rule fixed",
     [](Options& o, Value v) { o.hidden = parse_sizes("--hidden", v); }},
    {"--threads", "LIST", "numbers or max (physical cores, within affinity and cgroup quota)",
     [](Options& o, Value v) { o.threads = split_list("--threads", v); }},
    {"--isa", "LIST", "auto, portable, avx2, avx512, neon; each held against its own peak",
     [](Options& o, Value v) { o.isas = split_list("--isa", v); }},
    {"--impl", "LIST", "native, onednn-wide, onednn-post_ops, reference",
     [](Options& o, Value v) {
       for (const auto& name : split_list("--impl", v)) o.impls.push_back(parse_impl(name));
     }},
    {"--cold-cache", "MODE", "wei: rotate weights over more than the last-level cache (default); none: hot",
     [](Options& o, Value v) {
       if (v != "wei" && v != "none") throw UsageError("--cold-cache: '" + v + "' is not one of wei, none");
       o.cache = v == "wei" ? Cache::wei : Cache::none;
     }},
    {"--llc-bytes", "N", "size of the last-level cache, if the machine reports it wrongly",
     [](Options& o, Value v) { o.llc_bytes = parse_size("--llc-bytes", v); }},
    {"--cpus", "LIST", "CPUs to use, in this order",
     [](Options& o, Value v) {
       for (const auto& part : split_list("--cpus", v)) {
         o.cpus.push_back(part == "0" ? 0 : static_cast<int>(parse_size("--cpus", part)));
       }
     }},
    {"--no-pin", nullptr, "do not restrict the threads to CPUs", [](Options& o, Value) { o.pin = false; }},
    {"--rounds", "N", "rounds per point (paired)", [](Options& o, Value v) { o.rounds = parse_size("--rounds", v); }},
    {"--sample-ms", "X", "time of one sample; default 10",
     [](Options& o, Value v) { o.sample_seconds = parse_positive("--sample-ms", v) * 1e-3; }},
    {"--max-point-seconds", "X", "fewer rounds, then SKIPPED, for points that need longer; default 20 (report: 10)",
     [](Options& o, Value v) { o.max_point_seconds = parse_positive("--max-point-seconds", v); }},
    {"--seed", "N", "order of points and arms, and the data; default 1",
     [](Options& o, Value v) { o.seed = parse_size("--seed", v); }},
    {"--filter", "REGEX", "only rows whose name matches",
     [](Options& o, Value v) {
       try {
         const std::regex check(v);
       } catch (const std::regex_error&) {
         throw UsageError("--filter: '" + v + "' is not a valid regular expression");
       }
       o.filter = v;
     }},
    {"--list", nullptr, "print the names of the rows and stop", [](Options& o, Value) { o.list = true; }},
    {"--dry-run", nullptr, "print the names with estimated seconds and stop",
     [](Options& o, Value) { o.dry_run = true; }},
    {"--out", "FILE", "write results as JSON", [](Options& o, Value v) { o.out = v; }},
    {"--context", "KEY=VALUE", "goes into the context of the results",
     [](Options& o, Value v) {
       const auto equals = v.find('=');
       if (equals == std::string::npos || equals == 0) throw UsageError("--context: '" + v + "' is not KEY=VALUE");
       o.context.emplace_back(v.substr(0, equals), v.substr(equals + 1));
     }},
    {"--no-samples", nullptr, "leave the raw samples out of the results",
     [](Options& o, Value) { o.keep_samples = false; }},
    {"--quick", nullptr, "targets: fewer shapes and rounds, < 90 s", [](Options& o, Value) { o.quick = true; }},
    {"--format", "FORMAT", "targets: text (default) or md, a Markdown table",
     [](Options& o, Value v) {
       if (v != "text" && v != "md") throw UsageError("--format: '" + v + "' is not one of text, md");
       o.markdown = v == "md";
     }},
    {"--max-median-error", "X", "limit of check; default 1e-6",
     [](Options& o, Value v) { o.max_median_error = parse_positive("--max-median-error", v); }},
    {"--help", nullptr, "this text", [](Options& o, Value) { o.help = true; }},
};

struct Command {
  const char* name;
  const char* help;
};
const Command kCommands[] = {
    {"paired", "compare implementations, interleaved in one process, roofs beside each block"},
    {"run", "Google Benchmark: families ffn, elementwise, machine; --benchmark_* flags pass through"},
    {"targets", "every target that the library set itself: value, target, met or missed"},
    {"machine", "measure peaks, bandwidths, the bandwidth curve, core-to-core round trip"},
    {"check", "real weights: error per token against double; exit 1 if the median is over the limit"},
    {"serve", "answer sample requests on stdin, so that a script can interleave two builds"},
    {"selfcheck", "break the harness on purpose and see that it notices"},
};

const Flag* find_flag(const std::string& name) {
  for (const auto& flag : kFlags) {
    if (name == flag.name) return &flag;
  }
  return nullptr;
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 0; i < argc; ++i) options.argv += (i > 0 ? " " : "") + std::string(argv[i]);
  if (argc < 2) throw UsageError("no command; try --help");
  options.command = argv[1];
  if (options.command == "--help" || options.command == "-h") {
    options.command.clear();
    options.help = true;
    return options;
  }
  bool known = options.command == "--version";
  for (const auto& command : kCommands) known = known || options.command == command.name;
  if (!known) throw UsageError("unknown command '" + options.command + "'; try --help");

  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--benchmark_", 0) == 0) {
      options.google_benchmark.push_back(word);
      continue;
    }
    if (word.rfind("--", 0) != 0) {
      if (options.command != "check") throw UsageError("unexpected argument '" + word + "'");
      options.files.push_back(word);
      continue;
    }
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Flag* flag = find_flag(name);
    if (flag == nullptr) throw UsageError("unknown option '" + name + "'; try " + options.command + " --help");
    std::string value;
    if (flag->argument != nullptr) {
      if (equals != std::string::npos) {
        value = word.substr(equals + 1);
      } else if (i + 1 < argc) {
        value = argv[++i];
      } else {
        throw UsageError(name + " needs a value: " + flag->argument);
      }
    } else if (equals != std::string::npos) {
      throw UsageError(name + " takes no value");
    }
    flag->set(options, value);
  }
  if (!options.google_benchmark.empty() && options.command != "run") {
    throw UsageError("--benchmark_* flags belong to 'run', not to '" + options.command + "'");
  }
  if (options.max_point_seconds == 0) options.max_point_seconds = options.preset == "report" ? 10 : 20;
  if ((options.h_rule == HiddenChoice::fixed) != !options.hidden.empty()) {
    throw UsageError("--h-rule fixed and --hidden need each other");
  }
  if (!options.hidden.empty() && options.d_model.empty()) throw UsageError("--hidden needs --d-model");
  return options;
}

std::string help_text(const std::string& command) {
  std::string text = "usage: swiglu-bench COMMAND [OPTIONS]\n\n";
  for (const auto& entry : kCommands) {
    if (!command.empty() && command != entry.name) continue;
    text += "  " + std::string(entry.name) + std::string(11 - std::string(entry.name).size(), ' ') + entry.help + "\n";
  }
  text += "\nOptions (--key value or --key=value; LIST = 1,2,8 or a range: 1-512*2, 1-40, 1-40+3):\n";
  for (const auto& flag : kFlags) {
    std::string left = flag.name;
    if (flag.argument != nullptr) left += std::string(" ") + flag.argument;
    left.resize(left.size() < 26 ? 26 : left.size() + 1, ' ');
    text += "  " + left + flag.help + "\n";
  }
  text += "\nExit codes: 0 ok, 1 a wrong result, 2 usage or could not measure, 3 inconclusive.\n";
  return text;
}

}  // namespace swiglu::bench
