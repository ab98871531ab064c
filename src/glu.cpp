#include "glu.hpp"

#include "default_floating_point.hpp"

namespace swiglu {
namespace {

using kernels::GluKind;
using kernels::GluParameters;

struct Choice {
  GluKind kind;
  GluParameters parameters;
};

// g·σ(βg) = silu(βg)/β.
GluParameters swish(double beta) {
  GluParameters p;
  p.input_scale = beta;
  p.output_scale = 1 / beta;
  return p;
}

Choice choose(const Activation& a) {
  GluParameters p;
  switch (a.preset) {
    case Preset::swiglu:
      p.input_scale = a.multiplier;
      return {a.multiplier == 1 ? GluKind::silu : GluKind::swish, p};
    case Preset::swiglu_beta:
      return {a.beta == 1 ? GluKind::silu : GluKind::swish, swish(a.beta)};
    case Preset::gpt_oss:
    case Preset::minimax_m3:
      p = swish(a.alpha);
      p.gate_high = a.limit;
      if (a.preset == Preset::minimax_m3) p.gate_low = -a.limit;
      p.up_limit = a.limit;
      p.up_offset = 1;
      return {GluKind::swish_clamped, p};
    case Preset::deepseek_v4:
      p.gate_high = a.limit;
      p.up_limit = a.limit;
      return {GluKind::swish_clamped, p};
    case Preset::swiglu_step:
      p.ceiling = a.limit;
      p.up_limit = a.limit;
      return {GluKind::swish_clamped, p};
    case Preset::situ:
      p.tanh_gate = a.beta1;
      p.tanh_up = a.beta2;
      return {GluKind::situ, p};
    case Preset::geglu_tanh:
      return {GluKind::gelu_tanh, p};
    case Preset::geglu_erf:
      return {GluKind::gelu_erf, p};
    case Preset::geglu_quick:
      return {GluKind::swish, swish(kernels::kQuickGelu)};
    case Preset::reglu:
      return {GluKind::relu, p};
    case Preset::relu2:
      return {GluKind::relu_squared, p};
    case Preset::glu:
      return {GluKind::sigmoid, p};
    case Preset::bilinear:
      break;
  }
  return {GluKind::identity, p};
}

}  // namespace

kernels::Glu bind_glu(const kernels::KernelSet& set, const Activation& activation) {
  const DefaultFloatingPoint mode;
  const Choice choice = choose(activation);
  return {set.glu[static_cast<std::size_t>(choice.kind)], choice.parameters};
}

}  // namespace swiglu
