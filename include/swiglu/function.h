#pragma once

namespace swiglu {

/// The single functions that apply() offers (elementwise.h).
enum class Function {
  silu,        ///< x·σ(x); −0 at −∞
  silu_slope,  ///< d silu(x)/dx = σ(x)·(1 + x·σ(−x)); −0 at −∞, 1 at +∞
  sigmoid,     ///< σ(x) = 1/(1 + e^−x)
  tanh,        ///< tanh(x)
  exp,         ///< e^x
  gelu_tanh,   ///< x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))
  gelu_erf,    ///< x·Φ(x), Φ the normal distribution's
  gelu_quick,  ///< x·σ(1.702·x)
};

}  // namespace swiglu
