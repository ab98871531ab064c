#include "reference/activation.hpp"

#include <cmath>
#include <limits>

namespace swiglu::reference {
namespace {

constexpr double kSqrt2 = 1.41421356237309504880;
constexpr double kSqrt2OverPi = 0.79788456080286535588;     // √(2/π)
constexpr double kOneOverSqrt2Pi = 0.39894228040143267794;  // 1/√(2π)
constexpr double kTanhCubic = 0.044715;
constexpr double kQuick = 1.702;

/// x·σ(z), for a z that goes to −∞ with x (or against it). One quotient, so that equal arguments give equal bits
/// whatever preset they come from.
double times_sigmoid(double x, double z) {
  if (z == -std::numeric_limits<double>::infinity()) return std::copysign(0.0, x);  // the limit; ∞·0 by the formula
  if (z >= 0) return x / (1 + std::exp(-z));
  const double e = std::exp(z);  // not e^-z, which overflows long before σ(z) underflows
  return x * e / (1 + e);
}

/// 1 - tanh²(x), without the subtraction.
double sech_squared(double x) {
  const double c = std::cosh(x);
  return 1 / (c * c);
}

double relu(double x) { return x <= 0 ? 0.0 : x; }

/// The comparisons are such that a NaN passes.
double clamp_above(double x, double limit) { return x > limit ? limit : x; }
double clamp_both(double x, double limit) { return x < -limit ? -limit : clamp_above(x, limit); }

/// `slope` where a clamp lets x pass (at equality, too), 0 where it does not; NaN for NaN.
double passes_above(double x, double limit, double slope) { return x > limit ? 0.0 : slope; }
double passes_both(double x, double limit, double slope) { return std::fabs(x) > limit ? 0.0 : slope; }

/// For an x that the slope does not depend on otherwise.
double nan_or(double x, double slope) { return std::isnan(x) ? x : slope; }

/// GELU's tanh form is x·σ(2·tanh_argument(x)), which has no 1 + tanh to cancel.
double tanh_argument(double x) { return kSqrt2OverPi * (x + kTanhCubic * x * x * x); }

}  // namespace

double sigmoid(double x) { return times_sigmoid(1.0, x); }

double silu(double x) { return times_sigmoid(x, x); }

double silu_slope(double x) {
  // σ(x)·(1 + x + e^x)/(1 + e^x). The sum vanishes at x0 = -1.2784…, where e^x0 = -1 - x0; so with d = x - x0 it is
  // d + e^x0·(e^d - 1), two terms of one sign, which keep all their digits if d does: x0 is given in two parts.
  constexpr double kZero = -0x1.474973c84120bp+0, kZeroRest = -0x1.f8d74bc9ac154p-54;
  constexpr double kExpOfZero = -(1 + kZero) - kZeroRest;
  if (x > 0) {
    const double right = sigmoid(-x);
    return right == 0 ? 1.0 : sigmoid(x) * (1 + x * right);  // not ∞·0
  }
  if (x == -std::numeric_limits<double>::infinity()) return -0.0;
  const double d = (x - kZero) - kZeroRest;
  const double e = std::exp(x);
  return e * (d + kExpOfZero * std::expm1(d)) / ((1 + e) * (1 + e));
}

double gelu_tanh(double x) { return times_sigmoid(x, 2 * tanh_argument(x)); }

double gelu_tanh_slope(double x) {
  const double z = 2 * tanh_argument(x);
  const double left = sigmoid(z), right = sigmoid(-z);
  if (left == 0) return -0.0;  // the limits: beside these zeros only ∞·0 could come out
  if (right == 0) return 1;
  return left * (1 + x * right * 2 * kSqrt2OverPi * (1 + 3 * kTanhCubic * x * x));
}

double gelu_erf(double x) {
  const double twice_phi = std::erfc(-x / kSqrt2);
  return twice_phi == 0 ? -0.0 : 0.5 * x * twice_phi;
}

double gelu_erf_slope(double x) {
  const double density = kOneOverSqrt2Pi * std::exp(-0.5 * x * x);
  if (density == 0) return x < 0 ? -0.0 : 1.0;
  return 0.5 * std::erfc(-x / kSqrt2) + x * density;
}

double gelu_quick(double x) { return times_sigmoid(x, kQuick * x); }

double gelu_quick_slope(double x) { return silu_slope(kQuick * x); }

double gate_factor(const Activation& a, double g) {
  switch (a.preset) {
    case Preset::swiglu:
      return silu(a.multiplier * g);
    case Preset::swiglu_beta:
      return times_sigmoid(g, a.beta * g);
    case Preset::gpt_oss: {
      const double clamped = clamp_above(g, a.limit);
      return times_sigmoid(clamped, a.alpha * clamped);
    }
    case Preset::minimax_m3: {
      const double clamped = clamp_both(g, a.limit);
      return times_sigmoid(clamped, a.alpha * clamped);
    }
    case Preset::deepseek_v4:
      return silu(clamp_above(g, a.limit));
    case Preset::swiglu_step:
      return clamp_above(silu(g), a.limit);
    case Preset::situ:
      return a.beta1 * std::tanh(g / a.beta1) * sigmoid(g);
    case Preset::geglu_tanh:
      return gelu_tanh(g);
    case Preset::geglu_erf:
      return gelu_erf(g);
    case Preset::geglu_quick:
      return gelu_quick(g);
    case Preset::reglu:
      return relu(g);
    case Preset::relu2:
      return relu(g) * relu(g);
    case Preset::glu:
      return sigmoid(g);
    case Preset::bilinear:
      break;
  }
  return g;
}

double gate_slope(const Activation& a, double g) {
  switch (a.preset) {
    case Preset::swiglu:
      return a.multiplier * silu_slope(a.multiplier * g);
    case Preset::swiglu_beta:
      return silu_slope(a.beta * g);  // g·σ(βg) = silu(βg)/β
    case Preset::gpt_oss:
      return passes_above(g, a.limit, silu_slope(a.alpha * g));
    case Preset::minimax_m3:
      return passes_both(g, a.limit, silu_slope(a.alpha * g));
    case Preset::deepseek_v4:
      return passes_above(g, a.limit, silu_slope(g));
    case Preset::swiglu_step:
      return passes_above(silu(g), a.limit, silu_slope(g));
    case Preset::situ:
      return sigmoid(g) * (sech_squared(g / a.beta1) + a.beta1 * std::tanh(g / a.beta1) * sigmoid(-g));
    case Preset::geglu_tanh:
      return gelu_tanh_slope(g);
    case Preset::geglu_erf:
      return gelu_erf_slope(g);
    case Preset::geglu_quick:
      return gelu_quick_slope(g);
    case Preset::reglu:
      return nan_or(g, g > 0 ? 1.0 : 0.0);
    case Preset::relu2:
      return 2 * relu(g);
    case Preset::glu:
      return sigmoid(g) * sigmoid(-g);
    case Preset::bilinear:
      break;
  }
  return 1;
}

double up_factor(const Activation& a, double u) {
  switch (a.preset) {
    case Preset::gpt_oss:
    case Preset::minimax_m3:
      return clamp_both(u, a.limit) + 1;
    case Preset::deepseek_v4:
    case Preset::swiglu_step:
      return clamp_both(u, a.limit);
    case Preset::situ:
      return a.beta2 * std::tanh(u / a.beta2);
    default:
      return u;
  }
}

double up_slope(const Activation& a, double u) {
  switch (a.preset) {
    case Preset::gpt_oss:
    case Preset::minimax_m3:
    case Preset::deepseek_v4:
    case Preset::swiglu_step:
      return nan_or(u, passes_both(u, a.limit, 1.0));
    case Preset::situ:
      return sech_squared(u / a.beta2);
    default:
      return 1;
  }
}

double hidden(const Activation& a, double g, double u) { return gate_factor(a, g) * up_factor(a, u); }

Gradient backward(const Activation& a, double g, double u, double d_hidden) {
  return {d_hidden * gate_slope(a, g) * up_factor(a, u), d_hidden * gate_factor(a, g) * up_slope(a, u)};
}

}  // namespace swiglu::reference
