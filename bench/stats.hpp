#pragma once

#include <vector>

namespace swiglu::bench {

struct Interval {
  double lo = 0, hi = 0;
};

double median(std::vector<double> values);
double geometric_mean(const std::vector<double>& values);
double quantile(std::vector<double> values, double q);  ///< linear between order statistics, 0 ≤ q ≤ 1

/// Distribution-free confidence interval of the median from order statistics; for few values the level that can be
/// reached is lower and the interval is the range.
Interval median_interval(std::vector<double> values, double level = 0.95);

/// Quantile of Student's t, 0 < p < 1, df > 0.
double student_t_quantile(double p, double df);

/// 20 % trimmed mean (symmetric) with Yuen's interval: variance of the winsorised sample, h-1 degrees of freedom.
struct TrimmedMean {
  double mean = 0;
  double sd = 0;  ///< winsorised standard deviation of one value
  Interval ci;
};
inline constexpr double kTrim = 0.2;
TrimmedMean trimmed_mean(std::vector<double> values, double level);

/// Mean over process launches with one-sided bounds mean ∓ t(confidence, n-1)·sd/√n; n ≥ 2.
struct LaunchMean {
  double mean = 0;
  double sd = 0;
  Interval bounds;
};
LaunchMean launch_mean(const std::vector<double>& values, double confidence);

}  // namespace swiglu::bench
