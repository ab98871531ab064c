#pragma once

#include <cstddef>
#include <cstdint>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace swiglu::bench {

/// A command line that cannot be obeyed; what() is one line for the user. Exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "a,b,c" → its parts. Empty parts are an error.
std::vector<std::string> split_list(const std::string& option, const std::string& text);

/// "4-7" → "4" and "7"; "4" → "4" twice. They are not read yet, but not empty.
std::pair<std::string, std::string> range_ends(const std::string& option, const std::string& part);

/// An integer from `least` to `most`. `what` the error says that `text` is not: "a positive integer".
std::size_t parse_integer(const std::string& option, const std::string& text, std::size_t least, std::size_t most,
                          const std::string& what);

/// A positive one.
std::size_t parse_size(const std::string& option, const std::string& text, std::size_t most = SIZE_MAX);

/// No width or T of a model comes near; what is larger is a typing error, and no product of two overflows below.
inline constexpr std::size_t kLargestSize = std::size_t{1} << 24;

/// Lists and ranges of positive integers up to kLargestSize, as llama-bench writes them: "1,2,8", "1-512*2" (1, 2, 4, …
/// ≤ 512), "1-40" and "1-40+3" (1, 4, …). `option` is named in errors.
std::vector<std::size_t> parse_sizes(const std::string& option, const std::string& text);

/// Google Benchmark counts them in an int.
std::size_t parse_repetitions(const std::string& option, const std::string& text);

std::regex parse_regex(const std::string& option, const std::string& text);

double parse_positive(const std::string& option, const std::string& text);

}  // namespace swiglu::bench
