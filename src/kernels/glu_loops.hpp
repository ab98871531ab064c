// The GLU family over arrays: hidden = act(gate)·v(up), its gradients, and single functions.
// Included by kernel_set_impl.hpp only, inside a per-ISA translation unit.
#pragma once

#include <utility>

#include "kernels/elementwise_loops.hpp"
#include "kernels/gates.hpp"
#include "kernels/ups.hpp"

namespace swiglu::kernels {
namespace {

// F::value in double, rounded once.
template <class F>
struct Rounded {
  const F& f;

  template <class B, std::size_t K>
  [[gnu::always_inline]] inline Floats<B, K> operator()(const Floats<B, K>& x) const {
    return narrow<B>(f.value(widen(x)));
  }
};

// Both factors rounded to f32, then their product: the numbers that separate passes over act(gate) and up would give.
template <class Gate, class Up>
struct Hidden {
  Gate gate;
  Up up;

  explicit Hidden(const GluParameters& p) : gate(p), up(p) {}

  template <class B, std::size_t K>
  [[gnu::always_inline]] inline Floats<B, K> operator()(const Floats<B, K>& g, const Floats<B, K>& u) const {
    Floats<B, K> h = Rounded<Gate>{gate}(g);
    const Floats<B, K> v = up(u);
#pragma GCC unroll 8
    for (std::size_t s = 0; s < K; ++s) h[s] = h[s] * v[s];
    return h;
  }
};

// (d·act'(g)·v(u), d·act(g)·v'(u)), each rounded once; act(g) is computed anew, nothing is kept from the forward pass.
template <class Gate, class Up>
struct Gradients {
  Gate gate;
  Up up;

  explicit Gradients(const GluParameters& p) : gate(p), up(p) {}

  template <class B, std::size_t K>
  [[gnu::always_inline]] inline std::pair<Floats<B, K>, Floats<B, K>> operator()(const Floats<B, K>& gate_in,
                                                                                 const Floats<B, K>& up_in,
                                                                                 const Floats<B, K>& d_hidden) const {
    const auto g = widen(gate_in), u = widen(up_in), d = widen(d_hidden);
    return {narrow<B>(d * gate.slope(g) * up.value(u)), narrow<B>(d * gate.value(g) * up.slope(u))};
  }
};

template <class Arch, class Gate, class Up>
void glu_loop(const float* gate, const float* up, float* out, std::size_t n, const GluParameters& p) {
  for_each_element<xsimd::batch<float, Arch>>(Hidden<Gate, Up>(p), out, n, gate, up);
}

template <class Arch, class Gate, class Up>
void glu_backward_loop(const float* gate, const float* up, const float* d_hidden, float* d_gate, float* d_up,
                       std::size_t n, const GluParameters& p) {
  for_each_element_pair<xsimd::batch<float, Arch>>(Gradients<Gate, Up>(p), d_gate, d_up, n, gate, up, d_hidden);
}

template <class Arch, class F>
void map_loop(const float* x, float* out, std::size_t n) {
  const F f;
  for_each_element<xsimd::batch<float, Arch>>(Rounded<F>{f}, out, n, x);
}

}  // namespace
}  // namespace swiglu::kernels
