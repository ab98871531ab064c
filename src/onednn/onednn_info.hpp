#pragma once

// What benchmarks and tests print about the rival. Built with or without oneDNN; without, loaded_library() is empty.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "swiglu/feed_forward.h"

namespace swiglu::onednn {

/// The oneDNN that is loaded, not the one whose headers were compiled (hard case O-10).
struct LoadedLibrary {
  std::string version;        ///< "3.2.0"
  std::string commit;         ///< hash
  std::string effective_isa;  ///< "avx2", "avx512_core_bf16", …; asking freezes it, so create the objects first
};
std::optional<LoadedLibrary> loaded_library();

/// One matmul of the block, as oneDNN would run it.
struct MatmulInfo {
  std::string role;            ///< "gate_up", "gate", "up" or "down"
  std::string implementation;  ///< oneDNN's name: "brg:avx512_core", "gemm:jit:f32"
  std::string weights_layout;  ///< "16in64out", "plain [in, out]"
};

/// The matmuls for T ≥ 1 dense rows on `threads` threads, biases absent. Empty without oneDNN.
std::vector<MatmulInfo> describe_block(std::size_t d_model, std::size_t d_ff, std::size_t T, OneDnnForm form,
                                       std::size_t threads);

}  // namespace swiglu::onednn
