#pragma once

// How much an activation can magnify the error of its argument: the largest slope on an interval, computed.

#include <swiglu/activation.h>

#include <vector>

namespace swiglu::testing {

/// sup |f'| over intervals, for the gate's or the up value's factor of an activation (src/reference/activation.hpp).
///
/// On an interval |f'| is largest at an end or at a local maximum; these are looked for once, on a grid that is as
/// dense at every scale from 2^-20 to 2^10 (256 points an octave), and refined by ternary search. At a kink, where |f'|
/// jumps, that search ends at the larger side.
class SlopeBound {
 public:
  using Slope = double (*)(const Activation&, double);
  SlopeBound(const Activation& activation, Slope slope);

  /// |f(a) - f(b)| ≤ over(low, high)·|a - b| for all a, b in [low, high].
  double over(double low, double high) const;

 private:
  struct Peak {
    double where, height;
  };
  Activation activation_;
  Slope slope_;
  std::vector<Peak> peaks_;
};

}  // namespace swiglu::testing
