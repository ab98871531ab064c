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

std::size_t parse_size(const std::string& option, const std::string& text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0) {
    throw UsageError(option + ": '" + text + "' is not a positive integer");
  }
  return value;
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
    const std::size_t dash = part.find('-');
    if (dash == std::string::npos) {
      values.push_back(parse_size(option, part));
      continue;
    }
    const std::size_t step_at = part.find_first_of("*+", dash);
    const std::size_t first = parse_size(option, part.substr(0, dash));
    const std::size_t last = parse_size(option, part.substr(dash + 1, step_at - dash - 1));
    const std::size_t step = step_at == std::string::npos ? 1 : parse_size(option, part.substr(step_at + 1));
    const bool geometric = step_at != std::string::npos && part[step_at] == '*';
    if (last < first) throw UsageError(option + ": range '" + part + "' runs backwards");
    if (geometric && step < 2) throw UsageError(option + ": range '" + part + "' needs a factor of at least 2");
    for (std::size_t v = first;; v = geometric ? v * step : v + step) {
      values.push_back(v);
      if (geometric ? v > last / step : last - v < step) break;  // the next one is beyond `last`, or beyond size_t
      if (values.size() == kMostValues) {
        throw UsageError(option + ": '" + text + "' is more than " + std::to_string(kMostValues) + " values");
      }
    }
  }
  return values;
}

}  // namespace swiglu::bench
