#include "options.hpp"

#include <fstream>
#include <sstream>

#include "flags.hpp"
#include "suggest.hpp"

namespace swiglu::bench {
namespace {

const Flag& find_flag(const std::string& name, const Command& command) {
  std::vector<std::string> known;
  for (const auto& flag : flags()) {
    if (name == flag.name) {
      if (flag.belongs(command)) return flag;
      throw UsageError(name + " is no option of '" + command.name + "'");
    }
    if (flag.belongs(command) && flag.help != nullptr) known.push_back(flag.name);
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
      for (const auto& word : words) {
        const std::string name = word.substr(0, word.find('='));
        if (name == "--out" || name == "--batch" || name == "--resume" || name == "--launches" || name == "--mode")
          throw UsageError(name + " belongs on the command line");
      }
      parse_words(sweep, *find_command("paired"), words);
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
    for (const auto& entry : commands()) names.push_back(entry.name);
    const std::string close = nearest(options.command, names);
    throw UsageError("unknown command '" + options.command + "'" +
                     (close.empty() ? "; try --help" : "; did you mean '" + close + "'?"));
  }
  parse_words(options, *command, rest);
  if (options.batch_file) options.batch = read_batch(*options.batch_file);
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

}  // namespace swiglu::bench
