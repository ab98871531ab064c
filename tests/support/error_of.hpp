#pragma once

#include <string>

#include "swiglu/error.h"

namespace swiglu {

/// The message of the `Error` that `call` throws; another exception passes through.
template <typename Error = InvalidArgument, typename Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no such error";
}

}  // namespace swiglu
