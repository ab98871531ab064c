// The gradients of the GLU family: every preset on every ISA against its slopes in double, and against differences of
// the library's own forward.
//
// The bound. Every building block of a factor or a slope (exponential, sigmoid, tanh, the normal tail) is within
// ε = 0.05·2^-24 relative: the certificate's 0.55 ulp less the rounding's half, ulp ≤ 2^-23 relative at the worst end
// of a binade and never less than half of that. A slope is one term or the sum of two, each a product of at most two
// blocks; M is the sum of the terms' magnitudes. With S = act'(g), A = act(g), V = v(u):
//
//     |Ŝ − S| ≤ 2ε·M,   |Â − A| ≤ ε·2|A|,   |V̂ − V| ≤ ε|V|,   |V̂' − V'| ≤ 2ε|V'|,
//
// (A of situ is a product of two blocks), so before the only rounding to f32
//
//     |d_gate error| ≤ 3ε'·|d|·M·|V|,   |d_up error| ≤ 4ε'·|d|·|A·V'|,   ε' = 1.01·ε for the products of errors,
//
// and half an ulp after it. M = |S| but where the two terms differ in sign. Where the normal tail (geglu_erf) is below
// 2^-150, which as an f32 is 0, it is only known to be below: 2^-150·|d| more.

#include <gtest/gtest.h>
#include <swiglu/swiglu.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/activation.hpp"
#include "support/activations.hpp"
#include "support/bits.hpp"
#include "support/glu_arrays.hpp"
#include "support/isa_param.hpp"
#include "support/random.hpp"

namespace swiglu::testing {
namespace {

constexpr double kEpsilon = 1.01 * 0.05 * 0x1p-24;

/// M of the derivation: the terms of act'(g) are act(g)/g and the rest for the GELUs (the product rule of g·Φ), and
/// the same for situ with β1·tanh(g/β1).
double sum_of_terms(const Activation& a, double g) {
  const double slope = reference::gate_slope(a, g);
  double term = 0;
  if (a.preset == Preset::geglu_tanh || a.preset == Preset::geglu_erf) {
    term = g == 0 || std::isinf(g) ? 0 : reference::gate_factor(a, g) / g;
  } else if (a.preset == Preset::situ) {
    term = reference::gate_factor(a, g) * reference::sigmoid(-g);
  }
  return std::fabs(term) + std::fabs(slope - term);
}

/// Half an ulp of f32 at the largest magnitude that the unrounded value may have.
double half_ulp(double magnitude) {
  const int exponent = std::max(-126, std::ilogb(magnitude));
  return std::ldexp(0.5, exponent - 23);
}

::testing::AssertionResult within(float value, double exact, double bound_before_rounding) {
  const double bound = bound_before_rounding + half_ulp(std::fabs(exact) + bound_before_rounding);
  constexpr double kBeyond = 0x1p128;  // what f32 would have in place of ∞
  const double clipped = std::clamp(exact, -kBeyond, kBeyond);
  const double number = std::isinf(value) ? std::copysign(kBeyond, value) : static_cast<double>(value);
  if (std::fabs(number - clipped) <= bound) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << std::hexfloat << value << ", exactly " << exact << ", error "
                                       << std::defaultfloat << std::fabs(number - clipped) << " above the bound "
                                       << bound;
}

class GluBackward : public IsaTest {
 protected:
  void expect_gradients(const Activation& a, const GluArrays& in) {
    const GluGradients out = glu_backward_of(a, in, GetParam());
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double g = in.gate[i], u = in.up[i], d = in.d_hidden[i];
      const reference::Gradient exact = reference::backward(a, g, u, d);
      const double floor = a.preset == Preset::geglu_erf ? 0x1p-150 * std::fabs(d) : 0;
      const double v = std::fabs(reference::up_factor(a, u));
      ASSERT_TRUE(within(out.gate[i], exact.gate, (3 * kEpsilon * std::fabs(d) * sum_of_terms(a, g) + floor) * v))
          << to_string(a) << ": d_gate at gate " << g << ", up " << u << ", d_hidden " << d;
      ASSERT_TRUE(within(out.up[i], exact.up, 4 * kEpsilon * std::fabs(exact.up) + floor))
          << to_string(a) << ": d_up at gate " << g << ", up " << u << ", d_hidden " << d;
    }
  }
  reference::Gradient one(const Activation& a, float gate, float up, float d_hidden) {
    const GluGradients out = glu_backward_of(a, {{gate}, {up}, {d_hidden}}, GetParam());
    return {out.gate[0], out.up[0]};
  }
};
SWIGLU_FOR_EVERY_ISA(GluBackward);

TEST_P(GluBackward, WithinTheBound) {
  const GluArrays arrays = ordinary_arrays(emulated() ? 2000 : 30000, 1);
  for (const Activation& a : all_kinds_of_activations()) expect_gradients(a, arrays);
}

TEST_P(GluBackward, WithinTheBoundOverAllExponents) {
  const GluArrays arrays = arrays_of_all_exponents(emulated() ? 2000 : 30000, 2);
  for (const Activation& a : all_kinds_of_activations()) expect_gradients(a, arrays);
}

// Next to the zeros of the slopes (-1.278 of silu, -0.752 of the GELUs), where terms cancel.
TEST_P(GluBackward, WithinTheBoundNextToZerosOfTheSlopes) {
  GluArrays arrays = ordinary_arrays(20000, 3);
  Random random(4);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const double zero = i % 3 == 0 ? -1.2784645 : i % 3 == 1 ? -0.7517916 : -0.7524614;
    arrays.gate[i] = static_cast<float>(zero * (1 + 0x1p-12 * random.uniform()));
  }
  for (const Activation& a : typical_activations()) expect_gradients(a, arrays);
}

/// NaN for NaN, an infinity for an infinity, a zero of the same sign for a zero.
bool same_special(float value, double exact) {
  if (std::isnan(exact)) return std::isnan(value);
  if (std::isinf(exact)) return static_cast<double>(value) == exact;
  return std::isfinite(value) && (exact != 0 || std::signbit(value) == std::signbit(exact));
}

// Every combination of special values. Left out: an infinite factor beside one that is 0 in the reference only because
// e^-700 or less is, or the f32 of the forward pass would be; the header leaves open whether that product is NaN or ∞.
TEST_P(GluBackward, SpecialValues) {
  const std::vector<float> values = special_values();
  for (const Activation& a : typical_activations()) {
    for (const float d : values) {
      GluArrays in = special_arrays();
      std::fill(in.d_hidden.begin(), in.d_hidden.end(), d);
      const GluGradients out = glu_backward_of(a, in, GetParam());
      for (std::size_t i = 0; i < in.size(); ++i) {
        const double g = in.gate[i], u = in.up[i];
        const reference::Gradient exact = reference::backward(a, g, u, d);
        const auto vanishes = [](double x) { return std::fabs(x) < 0x1p-150; };
        const bool open_gate = (std::isinf(u) || std::isinf(d)) && vanishes(reference::gate_slope(a, g));
        const bool open_up =
            std::isinf(d) && (vanishes(reference::gate_factor(a, g)) || vanishes(reference::up_slope(a, u)));
        if (!open_gate) {
          ASSERT_TRUE(same_special(out.gate[i], exact.gate) || std::fabs(exact.gate) > 0x1p127)
              << to_string(a) << ": gate " << g << ", up " << u << ", d " << d << ": " << out.gate[i] << ", "
              << exact.gate;
        }
        if (!open_up) {
          ASSERT_TRUE(same_special(out.up[i], exact.up) || std::fabs(exact.up) > 0x1p127)
              << to_string(a) << ": gate " << g << ", up " << u << ", d " << d << ": " << out.up[i] << ", " << exact.up;
        }
      }
    }
  }
}

// PyTorch's conventions, by hand: a clamp passes the gradient at equality, relu does not at 0.
TEST_P(GluBackward, Kinks) {
  const float above7 = std::nextafter(7.0f, 8.0f);
  for (const Preset preset : {Preset::gpt_oss, Preset::minimax_m3}) {
    EXPECT_GT(one(preset, 7, 1, 1).gate, 1.9) << to_string(preset);
    EXPECT_EQ(one(preset, above7, 1, 1).gate, 0) << to_string(preset);
  }
  EXPECT_NE(one(Preset::minimax_m3, -7, 1, 1).gate, 0);
  EXPECT_EQ(one(Preset::minimax_m3, -above7, 1, 1).gate, 0);
  EXPECT_NE(one(Preset::gpt_oss, -above7, 1, 1).gate, 0) << "the gate is clamped from above only";
  EXPECT_GT(one(Preset::deepseek_v4, 10, 1, 1).gate, 1.0);
  EXPECT_EQ(one(Preset::deepseek_v4, std::nextafter(10.0f, 11.0f), 1, 1).gate, 0);
  const Activation step = Activation::swiglu_step(64);  // silu(64) is 64 in double
  EXPECT_EQ(one(step, 64, 1, 1).gate, 1);
  EXPECT_EQ(one(step, std::nextafter(64.0f, 65.0f), 1, 1).gate, 0);
  EXPECT_GT(one(Preset::swiglu_step, 7, 1, 1).gate, 1.0) << "silu(7) is below 7";
  for (const Preset preset : {Preset::gpt_oss, Preset::minimax_m3, Preset::swiglu_step}) {
    for (const float sign : {1.0f, -1.0f}) {
      EXPECT_NE(one(preset, 1, sign * 7, 1).up, 0) << to_string(preset);
      EXPECT_EQ(one(preset, 1, sign * above7, 1).up, 0) << to_string(preset);
    }
  }
  for (const float zero : {0.0f, -0.0f}) {
    EXPECT_EQ(one(Preset::reglu, zero, 1, 1).gate, 0);
    EXPECT_EQ(one(Preset::relu2, zero, 1, 1).gate, 0);
  }
  EXPECT_EQ(one(Preset::reglu, std::numeric_limits<float>::denorm_min(), 1, 1).gate, 1);
  EXPECT_EQ(one(Preset::relu2, 3, 2, 1).gate, 12);
  EXPECT_EQ(one(Preset::bilinear, 3, 5, 2).gate, 10);
  EXPECT_EQ(one(Preset::bilinear, 3, 5, 2).up, 6);
}

/// Whether the slope of either factor jumps between x - h and x + h.
bool across_a_kink(const Activation& a, double g, double u, double h) {
  const auto near = [h](double x, double kink) { return std::fabs(std::fabs(x) - kink) <= h; };
  if (a.preset == Preset::reglu || a.preset == Preset::relu2) return near(g, 0);
  if (a.limit == 0) return false;
  const bool at_ceiling =
      a.preset == Preset::swiglu_step && (reference::silu(g - h) < a.limit) != (reference::silu(g + h) < a.limit);
  return at_ceiling || near(g, a.limit) || near(u, a.limit);
}

// Central differences of the library's own glu(): (f(x+h) - f(x-h)) / 2h, h = 2^-7 exactly (x is a multiple of it).
// Two errors: |f'''|·h²/6, where |act'''| ≤ 1 and |v'''| ≤ 1 for the parameters here (GELU: 0.77, quick: 0.6, silu:
// 0.2; situ's tanh: 2/β²), so 2^-14/6 times the other factor; and the rounding of f: 0.55 ulp of each factor and 0.5 of
// the product, 1.6·2^-23·|f| at the most (two factors of situ: 1.6), of two values over 2h: 1.6·2^-23·2^7·max|f|. The
// step is where both are about 1e-5; the slope itself, from f32, adds its 2^-23.
TEST_P(GluBackward, IsTheDerivativeOfForward) {
  constexpr float h = 0x1p-7f;
  constexpr double kTruncation = 0x1p-14 / 6, kRounding = 1.6 * 0x1p-16;
  Random random(5);
  std::vector<Activation> activations;
  for (const Preset preset : all_presets()) activations.emplace_back(preset);
  activations.push_back(Activation::swiglu(-1));
  activations.push_back(Activation::swiglu_beta(-1.5f));
  activations.push_back(Activation::gpt_oss(1, 2));
  activations.push_back(Activation::minimax_m3(-1, 2));
  activations.push_back(Activation::situ(-2, 3));
  for (const Activation& a : activations) {
    GluArrays at, gate_minus, gate_plus, up_minus, up_plus;
    const auto add = [](GluArrays& to, float g, float u) {
      to.gate.push_back(g);
      to.up.push_back(u);
      to.d_hidden.push_back(1);
    };
    for (int i = 0; i < 20000; ++i) {
      const float g = std::round(random.normal(4) / h) * h, u = std::round(random.normal(4) / h) * h;
      if (across_a_kink(a, g, u, h)) continue;
      add(at, g, u);
      add(gate_minus, g - h, u);
      add(gate_plus, g + h, u);
      add(up_minus, g, u - h);
      add(up_plus, g, u + h);
    }
    ASSERT_GT(at.size(), 15000u);
    const GluGradients gradients = glu_backward_of(a, at, GetParam());
    const auto expect_slope = [&](const char* name, const GluArrays& minus, const GluArrays& plus,
                                  const std::vector<float>& slopes, auto other_factor) {
      const std::vector<float> low = glu_of(a, minus, GetParam()), high = glu_of(a, plus, GetParam());
      for (std::size_t i = 0; i < at.size(); ++i) {
        const double quotient = (static_cast<double>(high[i]) - low[i]) / (2 * static_cast<double>(h));
        const double size = std::max(std::fabs(high[i]), std::fabs(low[i]));
        const double bound =
            kTruncation * std::fabs(other_factor(i)) + kRounding * size + 0x1p-23 * std::fabs(slopes[i]) + 0x1p-140;
        ASSERT_NEAR(slopes[i], quotient, bound)
            << to_string(a) << ": " << name << " at gate " << at.gate[i] << ", up " << at.up[i];
      }
    };
    expect_slope("d_gate", gate_minus, gate_plus, gradients.gate,
                 [&](std::size_t i) { return reference::up_factor(a, at.up[i]); });
    expect_slope("d_up", up_minus, up_plus, gradients.up,
                 [&](std::size_t i) { return reference::gate_factor(a, at.gate[i]); });
  }
}

TEST_P(GluBackward, SameBitsAtEveryPositionAndInPlace) {
  GluArrays all = ordinary_arrays(84, 6);
  for (std::size_t i = 0; i < all.size(); i += 3) all.gate[i] = special_values()[i / 3];
  for (const Activation& a : typical_activations()) {
    std::vector<float> gate_alone, up_alone;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const GluGradients one = glu_backward_of(a, all.slice(i, 1), GetParam());
      gate_alone.push_back(one.gate[0]);
      up_alone.push_back(one.up[0]);
    }
    for (std::size_t n = 1; n <= 67; ++n) {
      for (std::size_t shift = 0; shift < 17; shift += emulated() ? 5 : 1) {
        const GluArrays in = all.slice(shift, n);
        const GluGradients out = glu_backward_of(a, in, GetParam());
        ASSERT_TRUE(same_bits(out.gate.data(), &gate_alone[shift], n)) << to_string(a) << ", n " << n;
        ASSERT_TRUE(same_bits(out.up.data(), &up_alone[shift], n)) << to_string(a) << ", n " << n;
      }
    }
    // Each output over each input.
    const std::size_t n = 67;
    const auto check = [&](auto&& pick_gate, auto&& pick_up) {
      GluArrays in = all.slice(0, n);
      float *d_gate = pick_gate(in), *d_up = pick_up(in);
      glu_backward(a, in.gate.data(), in.up.data(), in.d_hidden.data(), d_gate, d_up, n, GetParam());
      ASSERT_TRUE(same_bits(d_gate, gate_alone.data(), n)) << to_string(a);
      ASSERT_TRUE(same_bits(d_up, up_alone.data(), n)) << to_string(a);
    };
    const auto gate = [](GluArrays& in) { return in.gate.data(); };
    const auto up = [](GluArrays& in) { return in.up.data(); };
    const auto d = [](GluArrays& in) { return in.d_hidden.data(); };
    check(gate, up), check(up, gate), check(gate, d), check(d, gate), check(up, d), check(d, up);
  }
}

TEST_P(GluBackward, WritesExactlyItsElements) {
  for (std::size_t n = 1; n <= 70; ++n) {
    const GluArrays in = ordinary_arrays(n, n);
    std::vector<float> d_gate(n + 8, canary()), d_up(n + 8, canary());
    glu_backward(Preset::swiglu, in.gate.data(), in.up.data(), in.d_hidden.data(), &d_gate[4], &d_up[4], n, GetParam());
    for (const std::vector<float>& out : {d_gate, d_up}) {
      ASSERT_TRUE(all_canaries(out.data(), 4) && all_canaries(&out[n + 4], 4)) << n;
    }
  }
}

TEST_P(GluBackward, BadArgumentsThrow) {
  const Isa isa = GetParam();
  std::vector<float> v(200, 1.0f);
  float *g = v.data(), *u = g + 32, *d = g + 64, *dg = g + 96, *du = g + 128;
  EXPECT_NO_THROW(glu_backward(Preset::glu, nullptr, nullptr, nullptr, nullptr, nullptr, 0, isa));
  EXPECT_THROW(glu_backward(Preset::glu, nullptr, u, d, dg, du, 8, isa), InvalidArgument);
  EXPECT_THROW(glu_backward(Preset::glu, g, nullptr, d, dg, du, 8, isa), InvalidArgument);
  EXPECT_THROW(glu_backward(Preset::glu, g, u, nullptr, dg, du, 8, isa), InvalidArgument);
  EXPECT_THROW(glu_backward(Preset::glu, g, u, d, nullptr, du, 8, isa), InvalidArgument);
  EXPECT_THROW(glu_backward(Preset::glu, g, u, d, dg, nullptr, 8, isa), InvalidArgument);
  EXPECT_THROW(glu_backward(Preset::glu, g, u, d, dg, dg, 8, isa), InvalidArgument) << "the outputs are one array";
  EXPECT_THROW(glu_backward(Preset::glu, g, u, d, dg, dg + 7, 8, isa), InvalidArgument) << "the outputs overlap";
  EXPECT_THROW(glu_backward(Preset::glu, g, u, d, g + 1, du, 8, isa), InvalidArgument);
  EXPECT_THROW(glu_backward(Preset::glu, g, u, d, dg, d + 1, 8, isa), InvalidArgument);
  EXPECT_THROW(glu_backward(Preset::glu, g, u, d, dg, u - 7, 8, isa), InvalidArgument);
  Activation bad = Preset::situ;
  bad.beta1 = 0;
  EXPECT_THROW(glu_backward(bad, g, u, d, dg, du, 8, isa), InvalidArgument);
  EXPECT_TRUE(std::all_of(v.begin(), v.end(), [](float x) { return x == 1.0f; })) << "a refused call wrote something";
}

TEST(GluBackwardBits, EqualOnEveryIsaWithFusedMultiplyAdd) {
  const std::vector<Isa> isas = runnable_fma_isas();
  if (isas.size() < 2) GTEST_SKIP() << "fewer than two such kernel sets run here; swiglu_hashes compares machines";
  const GluArrays ordinary = ordinary_arrays(30011, 7), exponents = arrays_of_all_exponents(30011, 8);
  for (const Activation& a : all_kinds_of_activations()) {
    for (const GluArrays& in : {ordinary, exponents}) {
      const GluGradients first = glu_backward_of(a, in, isas[0]);
      for (std::size_t i = 1; i < isas.size(); ++i) {
        const GluGradients other = glu_backward_of(a, in, isas[i]);
        ASSERT_TRUE(same_bits(other.gate, first.gate)) << to_string(a) << " on " << to_string(isas[i]);
        ASSERT_TRUE(same_bits(other.up, first.up)) << to_string(a) << " on " << to_string(isas[i]);
      }
    }
  }
}

}  // namespace
}  // namespace swiglu::testing
