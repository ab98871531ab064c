#pragma once

// The gated activations in double: the definition of correct for activation.h. Every preset is a product of a factor of
// the gate and a factor of the up value, so two functions and their slopes are all there is.
//
// Written so that nothing overflows before the true result does and no two nearly equal numbers are subtracted:
// relative errors are a few 2^-53, times |x·f'(x)/f(x)| (≤ 200 for floats) where the argument of exp or erfc is itself
// rounded. Exceptions, where the function has a zero of its own and only the absolute error is that small: the slopes
// of situ and of the GELUs near theirs (g ≈ -0.75). silu_slope has none: it is good to the last bits next to its zero,
// too.
//
// Special values: see Preset. A slope at ±∞ is its limit, signed like the values.

#include "swiglu/activation.h"

namespace swiglu::reference {

/// 1 / (1 + e^-x).
double sigmoid(double x);

/// x·σ(x). silu(−∞) = −0, silu(+∞) = +∞, silu(−0) = −0, NaN stays NaN.
double silu(double x);

/// d silu(x) / dx = σ(x)·(1 + x·σ(−x)). Its zero is at x = −1.2785, its extremes are 1.0998 at x = 2.3994 and −0.0998
/// at x = −2.3994; −0 at −∞, 1 at +∞.
double silu_slope(double x);

double gelu_tanh(double x);
double gelu_tanh_slope(double x);
double gelu_erf(double x);
double gelu_erf_slope(double x);
double gelu_quick(double x);
double gelu_quick_slope(double x);

/// act(g) and d act(g) / dg.
///
/// Slopes at kinks are those of PyTorch: a clamp passes the gradient at equality (g = L, silu(g) = L, |g| = L), relu
/// does not pass it at 0. NaN gives NaN, except for bilinear, whose slope is 1 everywhere.
double gate_factor(const Activation& activation, double g);
double gate_slope(const Activation& activation, double g);

/// v(u) and dv(u) / du: u, clamp(u), clamp(u) + 1 or β2·tanh(u/β2). At |u| = L the clamp passes the gradient.
double up_factor(const Activation& activation, double u);
double up_slope(const Activation& activation, double u);

/// act(g)·v(u), one element of the hidden row.
double hidden(const Activation& activation, double g, double u);

struct Gradient {
  double gate;  ///< d loss / dg
  double up;    ///< d loss / du
};

/// Backward of hidden(), given d loss / d hidden: (d·act'(g)·v(u), d·act(g)·v'(u)); the products are IEEE's.
Gradient backward(const Activation& activation, double g, double u, double d_hidden);

}  // namespace swiglu::reference
