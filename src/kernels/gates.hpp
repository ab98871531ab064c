// The gate factors act(g) of the GLU family and their slopes, in double. Formulas: include/swiglu/activation.h.
// Function objects, not lambdas: GCC leaves a lambda of this size out of line, with its vectors in memory.
// Included by kernel_set_impl.hpp only, inside a per-ISA translation unit.
//
// A gate has value(x) and slope(x) on groups, constructible from GluParameters. Special values and slopes at kinks are
// those that the header promises: NaN passes every comparison.
#pragma once

#include "kernels/error_function.hpp"
#include "kernels/exponential.hpp"
#include "kernels/kernel_set.hpp"
#include "kernels/sigmoid.hpp"

namespace swiglu::kernels {
namespace {

// silu(g) of the default preset.
struct SiluGate {
  explicit SiluGate(const GluParameters&) {}

  template <class G>
  [[gnu::always_inline]] inline G value(const G& x) const {
    return silu(x);
  }
  template <class G>
  [[gnu::always_inline]] inline G slope(const G& x) const {
    return silu_slope(x);
  }
};

// min(output_scale·silu(input_scale·clamp(g)), ceiling): every preset around x·σ(…), since g·σ(βg) = silu(βg)/β.
// Products of two floats are exact in double, so scales of 1 give silu bit for bit.
struct SwishGate {
  const GluParameters& p;

  explicit SwishGate(const GluParameters& parameters) : p(parameters) {}

  template <class G>
  [[gnu::always_inline]] inline G before_ceiling(const G& x) const {
    const G clamped = at_least(p.gate_low, at_most(p.gate_high, x));
    return G(p.output_scale) * silu(G(p.input_scale) * clamped);
  }
  template <class G>
  [[gnu::always_inline]] inline G value(const G& x) const {
    return at_most(p.ceiling, before_ceiling(x));
  }
  template <class G>
  [[gnu::always_inline]] inline G slope(const G& x) const {
    const G inside = G(p.output_scale * p.input_scale) * silu_slope(G(p.input_scale) * x);
    const G below = where_above(before_ceiling(x), p.ceiling, G(0.0), inside);
    const G under = where_above(x, p.gate_high, G(0.0), below);
    return where_above(G(0.0) - x, -p.gate_low, G(0.0), under);
  }
};

// x·σ(s(x)) with s(x) = 2·√(2/π)·(x + 0.044715·x³): the tanh form without 1 + tanh, which would cancel.
struct GeluTanhGate {
  static constexpr double kLinear = 1.5957691216057308, kCubic = 0.044715 * kLinear;

  explicit GeluTanhGate(const GluParameters&) {}

  template <class G>
  [[gnu::always_inline]] inline G value(const G& x) const {
    const G y = at_least(kSiluFloor, x);  // -∞·σ(-∞) has a limit
    return y * sigmoid(argument(y));
  }
  template <class G>
  [[gnu::always_inline]] inline G slope(const G& x) const {
    const G y = at_least(kSiluFloor, at_most(-kSiluFloor, x));  // the slope is 0 and 1 beyond
    const G s = argument(y);
    const G ds = fma(y * y, G(3 * kCubic), G(kLinear));
    const G left = sigmoid(s);
    return left * fma(y * ds, sigmoid(G(0.0) - s), G(1.0));
  }

 private:
  template <class G>
  [[gnu::always_inline]] static inline G argument(const G& x) {
    return x * fma(x * x, G(kCubic), G(kLinear));
  }
};

// x·Φ(x) = max(x, 0) - |x|·Φ(-|x|): no branch, and no cancellation on either side.
struct GeluErfGate {
  explicit GeluErfGate(const GluParameters&) {}

  template <class G>
  [[gnu::always_inline]] inline G value(const G& x) const {
    const NormalTail<G> tail(x);
    return at_least(0.0, x) - tail.y * (tail.density * tail.mills);
  }
  // Φ(x) + x·φ(x); the values at x and -x add up to 1.
  template <class G>
  [[gnu::always_inline]] inline G slope(const G& x) const {
    const NormalTail<G> tail(x);
    const G negative = tail.density * (tail.mills - tail.y * G(kOneOverSqrt2Pi));
    return where_above(x, 0.0, G(1.0) - negative, negative);
  }
};

// β1·tanh(g/β1)·σ(g)
struct SituGate {
  const GluParameters& p;

  explicit SituGate(const GluParameters& parameters) : p(parameters) {}

  template <class G>
  [[gnu::always_inline]] inline G value(const G& x) const {
    return G(p.tanh_gate) * tanh_of(x * G(1 / p.tanh_gate)) * sigmoid(x);
  }
  template <class G>
  [[gnu::always_inline]] inline G slope(const G& x) const {
    const G y = x * G(1 / p.tanh_gate);
    return sigmoid(x) * (sech_squared(y) + G(p.tanh_gate) * tanh_of(y) * sigmoid(G(0.0) - x));
  }
};

// max(g, 0); relu(-0) = +0
struct ReluGate {
  explicit ReluGate(const GluParameters&) {}

  template <class G>
  [[gnu::always_inline]] inline G value(const G& x) const {
    return at_least(0.0, x) + G(0.0);
  }
  template <class G>
  [[gnu::always_inline]] inline G slope(const G& x) const {
    return where_above(x, 0.0, G(1.0), at_least(0.0, x) + G(0.0));  // 0, but NaN for NaN
  }
};

// max(g, 0)²
struct ReluSquaredGate {
  explicit ReluSquaredGate(const GluParameters&) {}

  template <class G>
  [[gnu::always_inline]] inline G value(const G& x) const {
    const G y = at_least(0.0, x);
    return y * y;
  }
  template <class G>
  [[gnu::always_inline]] inline G slope(const G& x) const {
    return at_least(0.0, x) * G(2.0) + G(0.0);
  }
};

// σ(g)
struct SigmoidGate {
  explicit SigmoidGate(const GluParameters&) {}

  template <class G>
  [[gnu::always_inline]] inline G value(const G& x) const {
    return sigmoid(x);
  }
  template <class G>
  [[gnu::always_inline]] inline G slope(const G& x) const {
    return sigmoid(x) * sigmoid(G(0.0) - x);
  }
};

// g
struct IdentityGate {
  explicit IdentityGate(const GluParameters&) {}

  template <class G>
  [[gnu::always_inline]] inline G value(const G& x) const {
    return x;
  }
  template <class G>
  [[gnu::always_inline]] inline G slope(const G&) const {
    return G(1.0);
  }
};

}  // namespace
}  // namespace swiglu::kernels
