#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "points.hpp"
#include "roofs.hpp"

namespace swiglu::bench {

/// silu or silu·mul over an array; one thread. What bounds it out of cache is the memory's read + write bandwidth.
struct ElementwiseCase {
  bool mul = false;  ///< silu_mul
  std::size_t n = 0;
  Isa isa = Isa::automatic;
  const char* level = "";  ///< where the arrays fit: "L1", "L2", "L3", "DRAM"

  std::string name() const;
  double bytes() const { return (mul ? 12.0 : 8.0) * static_cast<double>(n); }
};

/// Arrays of 24 KiB, 512 KiB, a quarter of the last-level cache and four times it, together.
std::vector<ElementwiseCase> elementwise_cases(const std::vector<Isa>& isas, std::size_t llc_bytes);

/// Input and output arrays of a case, values between ±8.
class ElementwiseArrays {
 public:
  explicit ElementwiseArrays(const ElementwiseCase& which);
  void call();
  /// Largest relative error against double on a sample of elements.
  double error() const;

 private:
  ElementwiseCase case_;
  std::vector<float> gate_, up_, out_;
};

}  // namespace swiglu::bench
