#include "options.hpp"

#include <fstream>
#include <sstream>

#include "flags.hpp"
#include "suggest.hpp"

namespace swiglu::bench {
namespace {

std::string see_help(const Command& command) { return std::string(" (see ") + command.name + " --help)"; }

const Flag& find_flag(const std::string& name, const Command& command) {
  std::vector<std::string> known;
  for (const auto& flag : flags()) {
    if (name == flag.name) {
      if (flag.belongs(command)) return flag;
      const bool in_batch = command.letter == kBatchLine.letter;
      throw UsageError(
          name + (in_batch ? " belongs on the command line" : " is no option of '" + std::string(command.name) + "'"));
    }
    if (flag.belongs(command) && flag.help != nullptr) known.push_back(flag.name);
  }
  const std::string close = nearest(name, known);
  throw UsageError("unknown option '" + name + "'" + (close.empty() ? "" : "; did you mean " + close + "?") +
                   see_help(command));
}

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
    if (word.rfind("-", 0) != 0) {
      if (command.letter != 'c') throw UsageError("unexpected argument '" + word + "'" + see_help(command));
      options.words.push_back(word);
      continue;
    }
    const auto equals = word.find('=');
    const std::string name = word == "-h" ? "--help" : word.substr(0, equals);
    const Flag& flag = find_flag(name, command);
    options.given.push_back(&flag);
    std::string value;
    if (flag.argument != nullptr) {
      if (equals != std::string::npos) {
        value = word.substr(equals + 1);
      } else if (i + 1 < words.size() && words[i + 1].rfind("--", 0) != 0) {
        value = words[++i];
      } else {
        throw UsageError(name + " needs a value: " + flag.argument + see_help(command));
      }
    } else if (equals != std::string::npos) {
      throw UsageError(name + " takes no value");
    }
    flag.set(options, value);
  }
}

void check_sweep(const Options& options) {
  const bool fixed = options.h_rule == HiddenChoice::fixed;
  if (fixed && options.hidden.empty()) throw UsageError("--h-rule fixed needs --hidden, which says the d_ff");
  if (!fixed && !options.hidden.empty()) throw UsageError("--hidden needs --h-rule fixed");
  if (fixed && !options.align.empty())
    throw UsageError("--align does not go with --h-rule fixed: --hidden says the d_ff");
  if (fixed && options.d_model.empty()) throw UsageError("--hidden needs --d-model");
  if (!options.align.empty() && options.d_model.empty()) throw UsageError("--align needs --d-model");
}

std::vector<Options> read_batch(const std::string& path) {
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
      parse_words(sweep, kBatchLine, words);
      check_sweep(sweep);
    } catch (const UsageError& error) {
      throw UsageError("--batch: " + path + ":" + std::to_string(number) + ": " + error.what());
    }
    sweeps.push_back(sweep);
  }
  if (file.bad()) throw UsageError("--batch: cannot read " + path);
  if (sweeps.empty()) throw UsageError("--batch: " + path + " has no line with options");
  return sweeps;
}

/// Beside --batch: what its lines say, so that nothing would look at it.
void check_batch(const Options& options) {
  for (const Flag* flag : options.given) {
    const std::string name = flag->name;
    if (name == "--baseline" || name == "--contender") {
      throw UsageError(name + " does not go with --batch: write --impl into the lines of " + options.batch_file);
    }
    // A preset also says how many rounds there are, and how long a point may take.
    if (flag->belongs(kBatchLine) && name != "--preset") {
      throw UsageError(name + " does not go with --batch: write it into the lines of " + options.batch_file);
    }
  }
}

void check_pair(Options& options) {
  if (options.contender != nullptr && options.baseline == nullptr) throw UsageError("--contender needs --baseline");
  if (options.baseline == nullptr) return;
  if (options.contender == nullptr) options.contender = &kNative;
  if (!options.impls.empty()) throw UsageError("--impl does not go with --baseline: those two are what is measured");
  if (options.contender == options.baseline) throw UsageError("--baseline and --contender are the same");
  options.impls = {options.contender, options.baseline};
}

// The targets are judged over whole sweeps: none of their points is to be left out for its length (4096/11008 at T =
// 1024 takes one Zen 4 core 2.5 s a call and implementation).
double default_point_seconds(const Options& options) {
  if (options.command == "targets") return 90;
  return options.preset == "report" ? 10 : 20;
}

const Command& known_command(const std::string& name) {
  if (const Command* command = find_command(name); command != nullptr) return *command;
  std::vector<std::string> names;
  for (const auto& entry : commands()) names.push_back(entry.name);
  const std::string close = nearest(name, names);
  throw UsageError("unknown command '" + name + "'" +
                   (close.empty() ? "; try --help" : "; did you mean '" + close + "'?"));
}

std::string shell_quoted(const std::string& word) {
  const char* safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%^";
  if (!word.empty() && word.find_first_not_of(safe) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string Options::argv() const {
  std::string text;
  for (const auto& word : arguments) text += (text.empty() ? "" : " ") + shell_quoted(word);
  return text;
}

std::string left_nothing(const Options& options) {
  std::string filters = options.filter.empty() ? "" : "--filter '" + options.filter + "'";
  for (const auto& flag : options.google_benchmark) {
    if (flag.rfind("--benchmark_filter", 0) == 0) filters += (filters.empty() ? "" : " and ") + flag;
  }
  return filters.empty() ? "the lists leave none" : "no name matches " + filters + "; --list without it shows them";
}

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  options.arguments = arguments;
  if (arguments.size() < 2) throw UsageError("no command; try --help");
  options.command = arguments[1];
  const std::vector<std::string> rest(arguments.begin() + 2, arguments.end());
  const bool version = options.command == "--version";
  options.help = options.command == "--help" || options.command == "-h" || options.command == "help";
  if ((version && !rest.empty()) || (options.help && rest.size() > 1)) {
    throw UsageError("unexpected argument '" + rest.back() + "'; try --help");
  }
  if (options.help) options.command = rest.empty() ? "" : known_command(rest.front()).name;
  if (options.help || version) return options;
  if (options.command == "report") {
    options.words = rest;
    return options;
  }
  parse_words(options, known_command(options.command), rest);
  if (options.help) return options;
  if (!options.batch_file.empty()) {
    check_batch(options);
    options.batch = read_batch(options.batch_file);
  }
  check_pair(options);
  if (options.mode == Mode::correctness && options.launches > 1)
    throw UsageError("--mode C times nothing: one launch is enough");
  if (options.max_point_seconds == 0) options.max_point_seconds = default_point_seconds(options);
  if (!options.resume.empty() && options.out.empty()) options.out = options.resume;
  if (!options.resume.empty() && options.out_format != Format::json) throw UsageError("--resume writes json only");
  check_sweep(options);
  return options;
}

}  // namespace swiglu::bench
