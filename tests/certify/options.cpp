#include "certify/options.hpp"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace swiglu::certify {
namespace {

std::vector<std::string> parse_list(const std::string& option, const std::string& text) {
  std::vector<std::string> items;
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) {
    if (item.empty()) throw UsageError(option + ": empty name in '" + text + "'");
    items.push_back(item);
  }
  if (items.empty()) throw UsageError(option + ": empty list");
  return items;
}

unsigned long parse_count(const std::string& option, const std::string& text, unsigned long most) {
  char* end = nullptr;
  errno = 0;
  const unsigned long value = std::strtoul(text.c_str(), &end, 10);
  if (text.empty() || text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < 1 || value > most) {
    throw UsageError(option + ": '" + text + "' is not a number from 1 to " + std::to_string(most));
  }
  return value;
}

float parse_float(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const float value = std::strtof(text.c_str(), &end);
  if (text.empty() || *end != '\0' || std::isnan(value)) throw UsageError(option + ": '" + text + "' is not a number");
  return value;
}

void parse_range(const std::string& text, Stream& stream) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw UsageError("--range: '" + text + "' is not FROM:TO");
  stream.first = position_of(parse_float("--range", text.substr(0, colon)));
  stream.last = position_of(parse_float("--range", text.substr(colon + 1)));
  if (stream.first > stream.last) throw UsageError("--range: '" + text + "' ends before it begins");
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.rfind("--", 0) == 0 ? word.find('=') : std::string::npos;
    const std::string option = word.substr(0, equals);
    const auto value = [&]() -> std::string {
      if (equals != std::string::npos) return word.substr(equals + 1);
      if (i + 1 == argc) throw UsageError(option + " needs a value");
      return argv[++i];
    };
    if (option == "--functions") {
      options.functions = parse_list(option, value());
    } else if (option == "--isa") {
      options.isas = parse_list(option, value());
    } else if (option == "--threads") {
      options.threads = parse_count(option, value(), 4096);
    } else if (option == "--range") {
      parse_range(value(), options.stream);
    } else if (option == "--sample") {
      options.stream.step = static_cast<std::uint32_t>(parse_count(option, value(), 0x7fffffff));
      // An even step would leave the lowest bits of all samples alike.
      if (options.stream.step % 2 == 0)
        throw UsageError("--sample: " + std::to_string(options.stream.step) + " is even");
    } else if (option == "--out") {
      options.out = value();
      if (options.out.empty()) throw UsageError("--out: empty name");
    } else if (option == "--expect") {
      options.expect = value();
      if (options.expect.empty()) throw UsageError("--expect: empty name");
    } else if (option == "--format") {
      const std::string format = value();
      if (format != "text" && format != "md") throw UsageError("--format: '" + format + "' is not text or md");
      options.markdown = format == "md";
    } else if (option == "--eval") {
      options.eval = value();
    } else if (equals != std::string::npos) {
      throw UsageError("unknown option '" + option + "', or one that takes no value; try --help");
    } else if (word == "--list") {
      options.list = true;
    } else if (word == "--help" || word == "-h") {
      options.help = true;
    } else if (word == "--version") {
      options.version = true;
    } else {
      throw UsageError("unknown argument '" + word + "'; try --help");
    }
  }
  return options;
}

std::string help_text() {
  return R"(usage: swiglu-certify [OPTION…]

Measures every activation function of every instruction set of this machine on all 2^32 floats: the largest and the mean
error in ulp against double, the worst inputs, special values, gradual underflow, monotonicity, and a hash of all results,
which must be the same for all instruction sets but portable. Writes accuracy.json when all is done, nothing before.

  --functions LIST   which functions (--list names them); default all
  --isa LIST         portable, avx2, avx512, neon; default all that run here
  --threads N        default: the CPUs this process may use
  --range FROM:TO    only floats from FROM to TO, such as -104:-86 or 0x1p-126:1
  --sample N         only every N-th float (N odd), for emulators
  --expect FILE      an accuracy.json of the same floats: results must have its hashes
  --out FILE         default accuracy.json
  --format text|md   what is printed: lines, or the README's table; default text
  --eval FUNCTION    instead: read numbers, one a line, and print "input output" in hexadecimal, by the ISA of --isa
                     (default: the best one), or by the double reference with --isa reference
  --list             the functions; those that the library has no kernel for yet can only be evaluated by the reference
  --help, --version

An ulp is the spacing of floats at the exact value, 2^-149 below the normal range. Exit code: 0 every promise is kept,
1 an error above the promise, a wrong special value, a flush to zero, a fall where the function rises, or different bits;
2 wrong usage, a file that cannot be read or written, or Ctrl-C (nothing is written then).
)";
}

}  // namespace swiglu::certify
