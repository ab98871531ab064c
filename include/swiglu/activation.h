#pragma once

#include <string>
#include <vector>

#include "swiglu/export.h"

namespace swiglu {

/// The gated activations in use: hidden = act(g)·v(u) of a gate pre-activation g and an up value u. σ is the logistic
/// sigmoid, silu(x) = x·σ(x), clamp(x) = min(max(x, −L), L). Names are spelled the same everywhere: here, on command
/// lines, in test suffixes and in benchmark rows.
///
/// Special values, for all presets: a factor of a NaN is NaN (clamps and max let it pass); at ±∞ a factor is its limit,
/// a zero with the sign from which it is approached (silu(−∞) = −0); max(−0, 0) = +0; the product of the two factors is
/// IEEE's, so 0·∞ is NaN.
enum class Preset {
  swiglu,       ///< silu(m·g) · u: the default; LLaMA, Mistral, Qwen, SmolLM (m = 1)
  swiglu_beta,  ///< g·σ(β·g) · u: Swish-β; β = 1 is swiglu, bit for bit
  gpt_oss,      ///< g'·σ(α·g') · (clamp(u) + 1) with g' = min(g, L): the gate is clamped from above only
  minimax_m3,   ///< as gpt_oss, with g' = clamp(g)
  deepseek_v4,  ///< silu(min(g, L)) · clamp(u): the clamp is before silu
  swiglu_step,  ///< min(silu(g), L) · clamp(u): the clamp is after silu
  situ,         ///< β1·tanh(g/β1)·σ(g) · β2·tanh(u/β2)
  geglu_tanh,   ///< g/2·(1 + tanh(√(2/π)·(g + 0.044715·g³))) · u: Gemma
  geglu_erf,    ///< g·Φ(g) · u, Φ the normal distribution's: the exact GELU
  geglu_quick,  ///< g·σ(1.702·g) · u; 1.702 is the real number, not the float next to it
  reglu,        ///< max(g, 0) · u
  relu2,        ///< max(g, 0)² · u
  glu,          ///< σ(g) · u: the original GLU
  bilinear,     ///< g · u
};

/// A preset with its parameters. A parameter that a preset does not have is 0, and no parameter may be 0 where it is
/// used, so one that is set for the wrong preset, or left over from another, is an error and never ignored.
///
///     options.activation = Preset::geglu_tanh;
///     options.activation = Activation::deepseek_v4(/*limit=*/12);
///     options.activation = parse_activation("gpt_oss:alpha=1.702,limit=7");
///
/// Signs: m, β and α may be negative, as trained factors may (g·σ(−β·g) mirrors the curve: it is −silu_β(−g)). Zero
/// would erase the gate (m) or halve it (β, α: that is `bilinear` with half the up weights). tanh is odd, so the signs
/// of β1 and β2 do not matter. A limit L is a bound of magnitudes: positive.
struct SWIGLU_API Activation {
  Preset preset = Preset::swiglu;
  float multiplier = 0;  ///< m of swiglu; default 1
  float beta = 0;        ///< β of swiglu_beta; default 1
  float alpha = 0;       ///< α of gpt_oss and minimax_m3; default 1.702f
  float limit = 0;       ///< L > 0: gpt_oss, minimax_m3, swiglu_step: default 7; deepseek_v4: 10
  float beta1 = 0;       ///< β1 of situ; default 4
  float beta2 = 0;       ///< β2 of situ; default 25

  /// `preset` with its default parameters.
  Activation(Preset preset = Preset::swiglu) noexcept;

  // The presets that have parameters. They throw what validate() throws.
  static Activation swiglu(float multiplier = 1.0f);
  static Activation swiglu_beta(float beta = 1.0f);
  static Activation gpt_oss(float alpha = 1.702f, float limit = 7.0f);
  static Activation minimax_m3(float alpha = 1.702f, float limit = 7.0f);
  static Activation deepseek_v4(float limit = 10.0f);
  static Activation swiglu_step(float limit = 7.0f);
  static Activation situ(float beta1 = 4.0f, float beta2 = 25.0f);

  /// Throws InvalidArgument unless `preset` is one of the enumerators, every parameter it has is finite and not 0 (a
  /// limit: greater than 0), and every other one is 0. Names the parameter, its value and what would be right.
  void validate() const;
};

/// Same preset, same parameters.
SWIGLU_API bool operator==(const Activation& a, const Activation& b) noexcept;
inline bool operator!=(const Activation& a, const Activation& b) noexcept { return !(a == b); }

/// All presets, in the order of their declaration.
SWIGLU_API std::vector<Preset> all_presets();

/// The enumerator's name: "geglu_tanh".
SWIGLU_API const char* to_string(Preset preset) noexcept;

/// The inverse of to_string. Throws InvalidArgument for any other text (no trimming, no case folding).
SWIGLU_API Preset parse_preset(const std::string& name);

/// The preset's name and the parameters that differ from its defaults: "gpt_oss:limit=5". Independent of the locale,
/// and exact: parse_activation gives back the same floats.
SWIGLU_API std::string to_string(const Activation& activation);

/// "PRESET" or "PRESET:NAME=VALUE,…", names as in the struct; what is not named keeps its default. Throws
/// InvalidArgument for an unknown name, one given twice, a text that is no number, and what validate() refuses.
SWIGLU_API Activation parse_activation(const std::string& text);

}  // namespace swiglu
