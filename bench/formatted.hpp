#pragma once

#include <string>

namespace swiglu::bench {

/// printf into a string.
std::string formatted(const char* pattern, ...) __attribute__((format(printf, 1, 2)));

}  // namespace swiglu::bench
