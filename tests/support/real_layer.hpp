#pragma once

// Feed-forward blocks of SmolLM2-135M with real inputs and their results in double (tests/data/README.md).

#include <cstddef>
#include <string>
#include <vector>

#include "support/block_case.hpp"

namespace swiglu::testing {

struct RealLayer {
  BlockCase block;
  std::size_t T = 0;
  std::vector<float> x;   ///< [T][d_model]
  std::vector<double> y;  ///< [T][d_model]
};

/// Where layer `layer` (0, 11 or 28) lies: tests/data for 11, else $SWIGLU_DATA_DIR/smollm2, by default
/// ../shared/data/smollm2 beside the sources. The file need not exist.
std::string real_layer_path(int layer);

/// Throws std::runtime_error if the file is missing or malformed.
RealLayer load_real_layer(const std::string& path);

/// ‖y_t − ŷ_t‖₂ / ‖ŷ_t‖₂ of every token, ŷ the exact result.
std::vector<double> token_errors(const RealLayer& layer, const std::vector<float>& y);

}  // namespace swiglu::testing
