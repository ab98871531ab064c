#include "support/slope_bound.hpp"

#include <algorithm>
#include <cmath>

namespace swiglu::testing {
namespace {

// Covers what the searches below leave open: relative errors of 1e-9 in the place of a smooth maximum cost 1e-18 of its
// height, and a kink is passed by at most that.
constexpr double kSlack = 1 + 1e-6;

std::vector<double> grid() {
  std::vector<double> x = {0.0};
  for (int exponent = -20; exponent < 10; ++exponent) {
    for (int i = 0; i < 256; ++i) {
      const double size = std::ldexp(1 + i / 256.0, exponent);
      x.insert(x.end(), {size, -size});
    }
  }
  std::sort(x.begin(), x.end());
  return x;
}

}  // namespace

SlopeBound::SlopeBound(const Activation& activation, Slope slope) : activation_(activation), slope_(slope) {
  const std::vector<double> x = grid();
  const auto height = [&](double at) { return std::fabs(slope(activation, at)); };
  std::vector<double> heights;
  for (const double at : x) heights.push_back(height(at));
  for (std::size_t i = 1; i + 1 < x.size(); ++i) {
    const double left = heights[i - 1], here = heights[i], right = heights[i + 1];
    if (here < left || here < right || (here == left && here == right)) continue;  // inside a plateau is no peak
    double low = x[i - 1], high = x[i + 1];
    for (int step = 0; step < 100; ++step) {
      const double third = (high - low) / 3;
      if (height(low + third) < height(high - third)) {
        low += third;
      } else {
        high -= third;
      }
    }
    peaks_.push_back({x[i], std::max({height(low), height(high), here})});
  }
}

double SlopeBound::over(double low, double high) const {
  double largest = std::max(std::fabs(slope_(activation_, low)), std::fabs(slope_(activation_, high)));
  // A peak belongs to the cell around its grid point: whoever touches the cell gets it.
  for (const Peak& peak : peaks_) {
    const double reach = std::fabs(peak.where) / 128 + 0x1p-20;
    if (low <= peak.where + reach && peak.where - reach <= high) largest = std::max(largest, peak.height);
  }
  return largest * kSlack;
}

}  // namespace swiglu::testing
