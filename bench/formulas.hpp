#pragma once

#include <algorithm>
#include <cstddef>

namespace swiglu::bench {

// The metrics of one block call in f32. Padding is never counted; every byte is counted once.

inline double block_flops(std::size_t d, std::size_t h, std::size_t T) {
  return 6.0 * static_cast<double>(T) * static_cast<double>(d) * static_cast<double>(h);
}
inline double weight_bytes(std::size_t d, std::size_t h) {
  return 12.0 * static_cast<double>(d) * static_cast<double>(h);
}
/// Weights, x and y.
inline double block_bytes(std::size_t d, std::size_t h, std::size_t T) {
  return weight_bytes(d, h) + 8.0 * static_cast<double>(T) * static_cast<double>(d);
}
/// The least time the machine needs, in seconds; peak in GFLOP/s, read in GB/s (base 1000).
inline double roof_seconds(double flops, double bytes, double peak_gflops, double read_gbps) {
  return std::max(flops / peak_gflops, bytes / read_gbps) * 1e-9;
}

}  // namespace swiglu::bench
