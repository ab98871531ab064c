// The single functions that elementwise.h offers, in double. Included by kernel_set_impl.hpp only.
#pragma once

#include "kernels/gates.hpp"

namespace swiglu::kernels {
namespace {

// act(x) of a gate without parameters.
template <class Gate>
struct GateFunction {
  template <class G>
  [[gnu::always_inline]] inline G value(const G& x) const {
    return Gate(GluParameters{}).value(x);
  }
};

struct SiluSlopeFunction {
  template <class G>
  [[gnu::always_inline]] inline G value(const G& x) const {
    return silu_slope(x);
  }
};

struct TanhFunction {
  template <class G>
  [[gnu::always_inline]] inline G value(const G& x) const {
    return tanh_of(x);
  }
};

// The rounding to float makes +∞ of what is too large, and 0 of what is too small.
struct ExpFunction {
  template <class G>
  [[gnu::always_inline]] inline G value(const G& x) const {
    return power(kLog2OfE, at_least(-kExpLimit, at_most(kExpLimit, x)));
  }
};

struct GeluQuickFunction {
  template <class G>
  [[gnu::always_inline]] inline G value(const G& x) const {
    GluParameters p;
    p.input_scale = kQuickGelu;
    p.output_scale = 1 / kQuickGelu;
    return SwishGate(p).value(x);
  }
};

}  // namespace
}  // namespace swiglu::kernels
