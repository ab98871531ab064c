#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "points.hpp"
#include "swiglu/weights.h"

namespace swiglu::bench {

/// A wrong result is never timed: this ends a row as WRONG, and the program with exit code 1.
class WrongResult : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The block in double for the distinct rows of random_rows(), by the library's reference backend. For ffn2 that is a
/// gated block whose up matrix is zero and whose up bias is one.
class Truth {
 public:
  Truth(const Shape& shape, const Weights& weights, std::uint64_t seed, Family family = Family::ffn);

  /// Runs `forward` on `T` rows into a buffer full of NaN and compares *every* row. Returns the largest relative error
  /// of a row, ‖y − ŷ‖₂ / ‖ŷ‖₂; throws WrongResult if one exceeds kMaxError or is not a number.
  double check(const std::function<void(const float* x, float* y)>& forward, const float* x, std::size_t T) const;

  /// The comparison alone, of y as it is.
  double compare(const float* y, std::size_t T) const;

  /// f32 chains of this length and data of order 1 end near 1e-6; a dropped bias, column or panel is beyond 1e-3.
  static constexpr double kMaxError = 2e-5;

 private:
  std::size_t d_;
  std::vector<float> y_;  // [kDistinctRows][d]
};

}  // namespace swiglu::bench
