// The up factors v(u) of the GLU family and their slopes. Formulas: include/swiglu/activation.h.
// Included by kernel_set_impl.hpp only, inside a per-ISA translation unit.
//
// Most of them need no more than f32, so an up factor works on floats (forward) and on doubles (backward).
#pragma once

#include "kernels/exponential.hpp"
#include "kernels/halves.hpp"
#include "kernels/kernel_set.hpp"

namespace swiglu::kernels {
namespace {

// u
struct PlainUp {
  explicit PlainUp(const GluParameters&) {}

  template <class B, std::size_t K>
  [[gnu::always_inline]] inline Floats<B, K> operator()(const Floats<B, K>& u) const {
    return u;
  }
  template <class G>
  [[gnu::always_inline]] inline G value(const G& u) const {
    return u;
  }
  template <class G>
  [[gnu::always_inline]] inline G slope(const G&) const {
    return G(1.0);
  }
};

// clamp(u, -L, L) + offset. An offset of -0 changes nothing, not even a zero's sign.
struct ClampedUp {
  const GluParameters& p;

  explicit ClampedUp(const GluParameters& parameters) : p(parameters) {}

  template <class B, std::size_t K>
  [[gnu::always_inline]] inline Floats<B, K> operator()(Floats<B, K> u) const {
#pragma GCC unroll 8
    for (std::size_t s = 0; s < K; ++s) {
      u[s] = at_least(B(-p.up_limit), at_most(B(p.up_limit), u[s])) + B(p.up_offset);
    }
    return u;
  }
  template <class G>
  [[gnu::always_inline]] inline G value(const G& u) const {
    return at_least(-p.up_limit, at_most(p.up_limit, u)) + G(p.up_offset);
  }
  template <class G>
  [[gnu::always_inline]] inline G slope(const G& u) const {
    const G inside = at_least(1.0, at_most(1.0, u));  // 1, but NaN for NaN
    return where_above(magnitude(u), p.up_limit, G(0.0), inside);
  }
};

// β2·tanh(u/β2)
struct TanhUp {
  const GluParameters& p;

  explicit TanhUp(const GluParameters& parameters) : p(parameters) {}

  template <class B, std::size_t K>
  [[gnu::always_inline]] inline Floats<B, K> operator()(const Floats<B, K>& u) const {
    return narrow<B>(value(widen(u)));
  }
  template <class G>
  [[gnu::always_inline]] inline G value(const G& u) const {
    return G(p.tanh_up) * tanh_of(u * G(1 / p.tanh_up));
  }
  template <class G>
  [[gnu::always_inline]] inline G slope(const G& u) const {
    return sech_squared(u * G(1 / p.tanh_up));
  }
};

}  // namespace
}  // namespace swiglu::kernels
