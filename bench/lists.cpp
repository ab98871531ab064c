#include "lists.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace swiglu::bench {
namespace {

constexpr std::size_t kMostValues = 100'000;  // a sweep of more is a typing error that would fill the memory

}  // namespace

std::vector<std::string> split_list(const std::string& option, const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  for (const auto& part : parts) {
    if (part.empty()) throw UsageError(option + ": empty entry in '" + text + "'");
  }
  return parts;
}

std::pair<std::string, std::string> range_ends(const std::string& option, const std::string& part) {
  const std::size_t dash = part.find('-', 1);  // in front it is a sign, which whoever reads the number refuses
  if (dash == std::string::npos) return {part, part};
  if (dash + 1 == part.size()) throw UsageError(option + ": '" + part + "' is a range without its end");
  return {part.substr(0, dash), part.substr(dash + 1)};
}

std::size_t parse_integer(const std::string& option, const std::string& text, std::size_t least, std::size_t most,
                          const std::string& what) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = !text.empty() && end == text.data() + text.size();
  if (!is_number || (error == std::errc() && value < least)) {
    throw UsageError(option + ": '" + text + "' is not " + what);
  }
  if (error != std::errc() || value > most) {
    throw UsageError(option + ": " + text + " is too large, the most is " + std::to_string(most));
  }
  return value;
}

std::size_t parse_size(const std::string& option, const std::string& text, std::size_t most) {
  return parse_integer(option, text, 1, most, "a positive integer");
}

std::size_t parse_repetitions(const std::string& option, const std::string& text) {
  return parse_size(option, text, 1'000'000);
}

std::regex parse_regex(const std::string& option, const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error&) {
    throw UsageError(option + ": '" + text + "' is not a valid regular expression");
  }
}

double parse_positive(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0) || !std::isfinite(value)) {
    throw UsageError(option + ": '" + text + "' is not a positive number");
  }
  return value;
}

std::vector<std::size_t> parse_sizes(const std::string& option, const std::string& text) {
  std::vector<std::size_t> values;
  for (const auto& part : split_list(option, text)) {
    const std::size_t step_at = part.find_first_of("*+");
    if (step_at != std::string::npos && (part.find('-', 1) > step_at || step_at + 1 == part.size())) {
      throw UsageError(option + ": '" + part + "' is not a range such as 1-40+3 or 1-512*2");
    }
    const auto [begin, end] = range_ends(option, part.substr(0, step_at));
    const std::size_t first = parse_size(option, begin, kLargestSize), last = parse_size(option, end, kLargestSize);
    const std::size_t step =
        step_at == std::string::npos ? 1 : parse_size(option, part.substr(step_at + 1), kLargestSize);
    const bool geometric = step_at != std::string::npos && part[step_at] == '*';
    if (last < first) throw UsageError(option + ": range '" + part + "' runs backwards");
    if (geometric && step < 2) throw UsageError(option + ": range '" + part + "' needs a factor of at least 2");
    for (std::size_t v = first; v <= last; v = geometric ? v * step : v + step) {
      if (values.size() == kMostValues) {
        throw UsageError(option + ": '" + text + "' is more than " + std::to_string(kMostValues) + " values");
      }
      values.push_back(v);
    }
  }
  return values;
}

}  // namespace swiglu::bench
