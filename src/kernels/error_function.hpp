// The tail of the normal distribution on groups of f64 vectors.
// Included by kernel_set_impl.hpp only, inside a per-ISA translation unit.
#pragma once

#include "kernels/exponential.hpp"

namespace swiglu::kernels {
namespace {

inline constexpr double kOneOverSqrt2Pi = 0.39894228040143267794;  // 1/√(2π)

// Φ(-y) = density·mills with y = |x| (at most 15: y·Φ(-y) is below the smallest float there), density = e^(-y²/2) and
// mills = Φ(-y)·e^(y²/2): smooth, and a polynomial in t = (y - 4)/(y + 4), minimax of the relative error on [0, 15]:
// 2^-31.5. NaN stays NaN.
template <class G>
struct NormalTail {
  G y, density, mills;

  [[gnu::always_inline]] inline explicit NormalTail(const G& x) {
    y = at_most(15.0, magnitude(x));
    density = power(-0.5 * kLog2OfE, y * y);
    const G t = (y - G(4.0)) / (y + G(4.0));
    G p = fma(t, G(0x1.0054371258a3dp-17), G(0x1.ab4d253279aa8p-16));
    p = fma(p, t, G(-0x1.9ce8cb96092a8p-15));
    p = fma(p, t, G(-0x1.86e912b5cfe0fp-13));
    p = fma(p, t, G(0x1.4fb93a5ec03fdp-11));
    p = fma(p, t, G(0x1.0a1370d59a3e3p-11));
    p = fma(p, t, G(-0x1.16474177f868cp-7));
    p = fma(p, t, G(0x1.f9b061418c610p-6));
    p = fma(p, t, G(-0x1.25b6a49188cc8p-4));
    p = fma(p, t, G(0x1.fd751a07a96abp-4));
    p = fma(p, t, G(-0x1.5cf97b1bcafb0p-3));
    mills = fma(p, t, G(0x1.82b4bb8d2298ap-4));
  }
};

}  // namespace
}  // namespace swiglu::kernels
