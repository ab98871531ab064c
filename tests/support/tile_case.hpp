#pragma once

// One call of a tile function with every buffer exact, and the scalar model of the kernel contract.

#include <cstddef>
#include <vector>

#include "kernels/kernel_set.hpp"
#include "support/guarded_buffer.hpp"

namespace swiglu::testing {

/// A tile function of a kernel set: gate_up or down, `one` or `many`, for mr rows.
struct TileFunction {
  kernels::TileFn call;
  bool gate_up;
  std::size_t mr;
  std::size_t panels;
};

/// Every tile function of the set.
std::vector<TileFunction> tile_functions(const kernels::KernelSet& set);

/// How one product is cut into calls and stored.
struct TileOptions {
  std::vector<std::size_t> cuts;  ///< where k is cut, ascending multiples of 16
  std::size_t columns = 0;        ///< down: valid columns of the panels together
  std::size_t stride = 0;         ///< down: elements between rows of y
  bool accumulate = false;
  bool prefetch = false;
  const kernels::Glu* glu = nullptr;  ///< gate-up
};

/// Random operands for mr × k and panels × k, in buffers that end or begin at guard pages.
class TileCase {
 public:
  TileCase(std::size_t mr, std::size_t panels, std::size_t k, GuardSide side);

  /// acc(i, c) of the contract by scalar std::fma, k ascending: [panels][mr][32].
  std::vector<float> model() const;

  /// acc(i, c) in double and the sum of absolute values of its terms, for the error bound: [panels][mr][32].
  void exact(std::vector<double>* value, std::vector<double>* absolute) const;

  /// What the function stores as partial sums over all of k.
  std::vector<float> partial(const TileFunction& f);

  /// Gate-up: [panels][mr][16]. Down: [mr][columns], checked against writes elsewhere (gaps between rows included);
  /// accumulating calls start from y0(i, c).
  std::vector<float> run(const TileFunction& f, const TileOptions& options);

  /// What y holds before an accumulating call.
  static float y0(std::size_t row, std::size_t column) {
    return 0.25f * static_cast<float>(row + 1) + 0.125f * static_cast<float>(column);
  }

 private:
  kernels::TileArgs args(std::size_t begin, std::size_t end, bool prefetch);

  std::size_t mr_, panels_, k_;
  std::vector<float> x_rows_;  // [mr][k]
  GuardedBuffer x_, panel_, out_, partial_;
  float* x_tile_;
  float* panel_begin_;
};

}  // namespace swiglu::testing
