#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "swiglu/weights.h"

namespace swiglu::bench {

/// Weights that objects are created from, as nn.Linear stores them ([out, in], no biases). A random block of prime
/// length is repeated, because gigabytes of fresh random numbers take longer than the measurement; the prime keeps
/// rows, panels and matrices different from each other, so a mixed-up one is noticed.
class SourceWeights {
 public:
  SourceWeights(std::size_t d_model, std::size_t d_ff, std::uint64_t seed);

  Weights view() const;

 private:
  std::vector<float> gate_, up_, down_;
};

/// x of one call: kDistinctRows different rows, again and again, so that all T rows of y can be compared with that many
/// reference rows. 5 divides no tile height, so rows that change places within a tile or across tiles are noticed.
inline constexpr std::size_t kDistinctRows = 5;
std::vector<float> random_rows(std::size_t T, std::size_t d_model, std::uint64_t seed);

}  // namespace swiglu::bench
