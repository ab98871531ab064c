#pragma once

// Lists of activations that tests run through.

#include <swiglu/activation.h>

#include <limits>
#include <vector>

namespace swiglu::testing {

/// Every preset with its defaults, and some with parameters far from them.
inline std::vector<Activation> typical_activations() {
  std::vector<Activation> all;
  for (const Preset preset : all_presets()) all.emplace_back(preset);
  for (const Activation& a :
       {Activation::swiglu(2.5f), Activation::swiglu(-1.0f), Activation::swiglu_beta(0.25f),
        Activation::swiglu_beta(-1.702f), Activation::gpt_oss(-1.0f, 0.5f), Activation::minimax_m3(3.0f, 2.0f),
        Activation::deepseek_v4(0.01f), Activation::swiglu_step(0.5f), Activation::situ(0.5f, -1.0f)}) {
    all.push_back(a);
  }
  return all;
}

/// Parameters at the edges of what validate() accepts: the smallest and largest magnitudes of either sign.
inline std::vector<Activation> edge_activations() {
  constexpr float kSmallest = std::numeric_limits<float>::denorm_min(), kLargest = std::numeric_limits<float>::max();
  std::vector<Activation> all;
  for (const float magnitude : {kSmallest, 1e-30f, 1e30f, kLargest}) {
    for (const float value : {magnitude, -magnitude}) {
      all.push_back(Activation::swiglu(value));
      all.push_back(Activation::swiglu_beta(value));
      all.push_back(Activation::gpt_oss(value));
      all.push_back(Activation::minimax_m3(value, kLargest));
      all.push_back(Activation::situ(value, 25));
      all.push_back(Activation::situ(4, value));
    }
    all.push_back(Activation::gpt_oss(1.702f, magnitude));
    all.push_back(Activation::minimax_m3(1.702f, magnitude));
    all.push_back(Activation::deepseek_v4(magnitude));
    all.push_back(Activation::swiglu_step(magnitude));
  }
  return all;
}

/// Both lists.
inline std::vector<Activation> all_kinds_of_activations() {
  std::vector<Activation> all = typical_activations();
  for (const Activation& edge : edge_activations()) all.push_back(edge);
  return all;
}

}  // namespace swiglu::testing
