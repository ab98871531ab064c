#pragma once

#include <algorithm>
#include <string>

#include "swiglu/feed_forward.h"

namespace swiglu::bench {

inline std::string onednn_missing() {
  const auto backends = compiled_backends();
  const bool here = std::find(backends.begin(), backends.end(), Backend::onednn) != backends.end();
  return here ? "" : "this build has no oneDNN backend";
}

}  // namespace swiglu::bench
