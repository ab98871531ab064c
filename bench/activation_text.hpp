#pragma once

#include <string>

#include "swiglu/feed_forward.h"

namespace swiglu::bench {

/// Sets what --activation said; an empty text is swiglu. Activations are text in this program because the gate builds
/// parts of it around old revisions of the library, which have no type for them.
inline void set_activation(swiglu::Options& options, const std::string& text) {
#if __has_include("swiglu/activation.h")
  if (!text.empty()) options.activation = parse_activation(text);
#else
  if (!text.empty()) throw Unsupported("this revision has only swiglu, not " + text);
  (void)options;
#endif
}

}  // namespace swiglu::bench
