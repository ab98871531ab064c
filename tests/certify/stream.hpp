#pragma once

// Which floats are examined, and in which order: ascending, so that monotonicity is a property of neighbours.

#include <cstdint>

#include "support/float_bits.hpp"

namespace swiglu::certify {

/// Position of a float in IEEE 754's total order, 0 … 2^32 - 1: -NaN, -∞, …, -0, +0, …, +∞, +NaN.
inline std::uint32_t position_of(float value) {
  const std::uint32_t bits = testing::bits_of(value);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

/// The inverse.
inline float float_at(std::uint32_t position) {
  return testing::float_of((position & 0x80000000u) != 0 ? position & 0x7fffffffu : ~position);
}

/// Every step-th position from `first` to `last`. The default is all 2^32 floats.
struct Stream {
  std::uint32_t first = 0;
  std::uint32_t last = 0xffffffffu;
  std::uint32_t step = 1;

  std::uint64_t size() const { return (std::uint64_t{last} - first) / step + 1; }
  float operator[](std::uint64_t i) const { return float_at(static_cast<std::uint32_t>(first + i * step)); }
};

inline bool operator==(const Stream& a, const Stream& b) {
  return a.first == b.first && a.last == b.last && a.step == b.step;
}

}  // namespace swiglu::certify
