#include "formatted.hpp"

#include <cstdarg>
#include <cstdio>

namespace swiglu::bench {

std::string formatted(const char* pattern, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

std::string counted(std::size_t count, const std::string& noun) {
  const bool hisses = noun.back() == 's' || noun.back() == 'h';  // loss, launch
  return std::to_string(count) + " " + noun + (count == 1 ? "" : hisses ? "es" : "s");
}

}  // namespace swiglu::bench
