#pragma once

#include <cstddef>
#include <string>

namespace swiglu::bench {

/// printf into a string.
std::string formatted(const char* pattern, ...) __attribute__((format(printf, 1, 2)));

/// "1 point", "2 points", "0 losses"
std::string counted(std::size_t count, const std::string& noun);

}  // namespace swiglu::bench
