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

}  // namespace swiglu::bench
