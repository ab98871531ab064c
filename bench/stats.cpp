#include "stats.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace swiglu::bench {
namespace {

/// Continued fraction of the incomplete beta function (Lentz).
double beta_fraction(double a, double b, double x) {
  const auto not_zero = [](double value) { return std::fabs(value) < 1e-300 ? 1e-300 : value; };
  double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1));
  double result = d;
  /// One step of the recurrence; returns the factor it adds.
  const auto step = [&](double numerator) {
    d = 1 / not_zero(1 + numerator * d);
    c = not_zero(1 + numerator / c);
    result *= d * c;
    return d * c;
  };
  for (int m = 1; m < 300; ++m) {
    step(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    const double factor = step(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
    if (std::fabs(factor - 1) < 1e-14) break;
  }
  return result;
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_t_cdf(double t, double df) {
  const double tail = 0.5 * incomplete_beta(df / 2, 0.5, df / (df + t * t));
  return t > 0 ? 1 - tail : tail;
}

}  // namespace

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

Interval median_interval(std::vector<double> values, double level) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  // The rank r is the largest with P(Binomial(n, 1/2) < r) ≤ (1 - level) / 2.
  double probability = std::pow(0.5, static_cast<double>(n)), cumulative = probability;
  std::size_t r = 0;
  while (r + 1 < n / 2 + 1 && cumulative <= (1 - level) / 2) {
    ++r;
    probability *= static_cast<double>(n - r + 1) / static_cast<double>(r);
    cumulative += probability;
  }
  const std::size_t lo = r == 0 ? 0 : r - 1;
  return {values[lo], values[n - 1 - lo]};
}

double student_t_quantile(double p, double df) {
  double lo = -1e6, hi = 1e6;
  for (int i = 0; i < 200; ++i) {
    const double mid = (lo + hi) / 2;
    (student_t_cdf(mid, df) < p ? lo : hi) = mid;
  }
  return (lo + hi) / 2;
}

TrimmedMean trimmed_mean(std::vector<double> values, double level) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  const auto cut = static_cast<std::size_t>(kTrim * static_cast<double>(n));
  const std::size_t kept = n - 2 * cut;
  double sum = 0;
  for (std::size_t i = cut; i < n - cut; ++i) sum += values[i];
  TrimmedMean result;
  result.mean = sum / static_cast<double>(kept);

  double winsorised_sum = 0, squares = 0;
  const auto winsorised = [&](std::size_t i) { return values[std::clamp(i, cut, n - 1 - cut)]; };
  for (std::size_t i = 0; i < n; ++i) winsorised_sum += winsorised(i);
  const double centre = winsorised_sum / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) squares += (winsorised(i) - centre) * (winsorised(i) - centre);
  if (kept < 2) {
    result.ci = {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    return result;
  }
  const double h = static_cast<double>(kept);
  const double error = std::sqrt(squares / (h * (h - 1)));
  result.sd = std::sqrt(squares / static_cast<double>(n - 1));
  const double t = student_t_quantile(1 - (1 - level) / 2, h - 1);
  result.ci = {result.mean - t * error, result.mean + t * error};
  return result;
}

LaunchMean launch_mean(const std::vector<double>& values, double confidence) {
  const double n = static_cast<double>(values.size());
  LaunchMean result;
  for (const double value : values) result.mean += value / n;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.sd = std::sqrt(squares / (n - 1));
  const double half = student_t_quantile(confidence, n - 1) * result.sd / std::sqrt(n);
  result.bounds = {result.mean - half, result.mean + half};
  return result;
}

}  // namespace swiglu::bench
