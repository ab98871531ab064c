#pragma once

#include <algorithm>
#include <cstddef>

namespace swiglu::bench {

// The metrics of one block call in f32. Padding is never counted; every byte is counted once. `matrices`: 3 in SwiGLU,
// 2 in the plain feed-forward block.

inline double block_flops(std::size_t d, std::size_t h, std::size_t T, int matrices = 3) {
  return 2.0 * matrices * static_cast<double>(T) * static_cast<double>(d) * static_cast<double>(h);
}
inline double weight_bytes(std::size_t d, std::size_t h, int matrices = 3) {
  return 4.0 * matrices * static_cast<double>(d) * static_cast<double>(h);
}
/// Weights, x and y.
inline double block_bytes(std::size_t d, std::size_t h, std::size_t T, int matrices = 3) {
  return weight_bytes(d, h, matrices) + 8.0 * static_cast<double>(T) * static_cast<double>(d);
}
/// The least time the machine needs, in seconds; peak in GFLOP/s, read in GB/s (base 1000).
inline double roof_seconds(double flops, double bytes, double peak_gflops, double read_gbps) {
  return std::max(flops / peak_gflops, bytes / read_gbps) * 1e-9;
}

}  // namespace swiglu::bench
