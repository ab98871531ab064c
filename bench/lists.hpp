#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace swiglu::bench {

/// A command line that cannot be obeyed; what() is one line for the user. Exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "a,b,c" → its parts. Empty parts are an error.
std::vector<std::string> split_list(const std::string& option, const std::string& text);

/// Lists and ranges of positive integers, as llama-bench writes them: "1,2,8", "1-512*2" (1, 2, 4, … ≤ 512),
/// "1-40" and "1-40+3" (1, 4, …). `option` is named in errors.
std::vector<std::size_t> parse_sizes(const std::string& option, const std::string& text);

std::size_t parse_size(const std::string& option, const std::string& text);
double parse_positive(const std::string& option, const std::string& text);

}  // namespace swiglu::bench
