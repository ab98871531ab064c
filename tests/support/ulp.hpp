#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace swiglu::testing {

/// |value - exact| in ulp: units of the spacing of the f32 numbers at `exact`, 2^(e-23) for 2^e ≤ |exact| < 2^(e+1),
/// and 2^-149 below the normal range. (A correctly rounded result is at most 0.5 ulp away.) An infinite value counts as
/// ±2^128, the number that f32 would have there, so that it is right where the exact value rounds to it.
/// Infinite if one of the two is NaN and the other is not, or if the signs differ, those of zeros included.
inline double ulp_error(float value, double exact) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (std::isnan(value) || std::isnan(exact)) return std::isnan(value) == std::isnan(exact) ? 0 : kInfinity;
  if (std::signbit(value) != std::signbit(exact)) return kInfinity;
  double size = std::fabs(exact), result = std::fabs(static_cast<double>(value));
  if (std::isinf(value)) {
    result = 0x1p128;
    if (size > result) size = result;
  }
  // The exponent from the bits: this is called for all floats, and ilogb takes longer than the rest.
  std::uint64_t bits;
  std::memcpy(&bits, &size, sizeof bits);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  exponent = exponent < -126 ? -126 : exponent > 127 ? 127 : exponent;
  bits = static_cast<std::uint64_t>(23 - exponent + 1023) << 52;
  double per_ulp;
  std::memcpy(&per_ulp, &bits, sizeof per_ulp);
  return std::fabs(result - size) * per_ulp;
}

}  // namespace swiglu::testing
