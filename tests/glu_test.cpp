// The GLU family over arrays, forward: every preset on every ISA against its definition in double.
//
// The bound is a set. Each factor is a float within 0.55 ulp of its exact value (the promise of the certificate; exact
// where the factor needs no more than f32: u, clamps, relu), so it is the float nearest to it or, if the exact value is
// within 0.05 ulp of a midpoint, the neighbour beyond. hidden is the IEEE product of the two: one of at most four
// floats, bit for bit, also where factors are subnormal, overflow or vanish.

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
#include "support/ulp.hpp"

namespace swiglu::testing {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr double kPromisedUlp = 0.55;

/// The floats that a factor of this exact value may be.
std::vector<float> floats_near(double exact, double ulp) {
  const float nearest = static_cast<float>(exact);
  std::vector<float> all = {nearest};
  for (const float towards : {-kInf, kInf}) {
    const float neighbour = std::nextafter(nearest, towards);
    if (bits_of(neighbour) != bits_of(nearest) && ulp_error(neighbour, exact) <= ulp) all.push_back(neighbour);
  }
  return all;
}

double gate_ulp(Preset preset) {
  const bool exact = preset == Preset::reglu || preset == Preset::relu2 || preset == Preset::bilinear;
  return exact ? 0 : kPromisedUlp;  // 0: the nearest float only
}
double up_ulp(Preset preset) { return preset == Preset::situ ? kPromisedUlp : 0; }

bool same_number(float a, float b) { return bits_of(a) == bits_of(b) || (std::isnan(a) && std::isnan(b)); }

::testing::AssertionResult is_hidden(const Activation& a, float gate, float up, float out) {
  const double act = reference::gate_factor(a, gate), v = reference::up_factor(a, up);
  for (const float x : floats_near(act, gate_ulp(a.preset))) {
    for (const float y : floats_near(v, up_ulp(a.preset))) {
      if (same_number(out, x * y)) return ::testing::AssertionSuccess();
    }
  }
  return ::testing::AssertionFailure() << std::hexfloat << to_string(a) << ": gate " << gate << ", up " << up
                                       << " gave " << out << ", factors " << act << " and " << v;
}

class Glu : public IsaTest {
 protected:
  void expect_hidden(const Activation& a, const GluArrays& in) {
    const std::vector<float> out = glu_of(a, in, GetParam());
    for (std::size_t i = 0; i < in.size(); ++i) ASSERT_TRUE(is_hidden(a, in.gate[i], in.up[i], out[i]));
  }
  float one(const Activation& a, float gate, float up) { return glu_of(a, {{gate}, {up}, {0}}, GetParam())[0]; }
};
SWIGLU_FOR_EVERY_ISA(Glu);

TEST_P(Glu, IsTheProductOfTwoAccurateFactors) {
  const GluArrays arrays = ordinary_arrays(emulated() ? 2000 : 50000, 1);
  for (const Activation& a : all_kinds_of_activations()) expect_hidden(a, arrays);
}

TEST_P(Glu, IsTheProductOfTwoAccurateFactorsOverAllExponents) {
  const GluArrays arrays = arrays_of_all_exponents(emulated() ? 2000 : 50000, 2);
  for (const Activation& a : all_kinds_of_activations()) expect_hidden(a, arrays);
}

// Where act(g) leaves the normal range and becomes zero, with ups that bring the product back.
TEST_P(Glu, IsTheProductOfTwoAccurateFactorsWhereTheyAreSubnormal) {
  GluArrays arrays = ordinary_arrays(emulated() ? 2000 : 20000, 3);
  Random random(4);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    arrays.gate[i] = i % 2 == 0 ? -95.0f + 15 * random.uniform() : -13.0f + 2 * random.uniform();  // silu; GELU
    if (i % 3 == 0) arrays.gate[i] *= 0x1p-130f;
    if (i % 5 != 0) arrays.up[i] *= 0x1p+20f;
  }
  for (const Activation& a : typical_activations()) expect_hidden(a, arrays);
}

TEST_P(Glu, SpecialValues) {
  for (const Activation& a : all_kinds_of_activations()) expect_hidden(a, special_arrays());
}

// The header's promises by the letter, without the reference: limits at ±∞, zeros, the largest floats.
TEST_P(Glu, SpecialValuesByTheHeader) {
  const float largest = std::numeric_limits<float>::max();
  struct Row {
    Activation activation;
    float at_minus_inf, at_inf, at_minus_zero, at_zero, at_lowest, at_largest;
  };
  const Row rows[] = {
      {Preset::swiglu, -0.0f, kInf, -0.0f, 0.0f, -0.0f, largest},
      {Activation::swiglu(-1), kInf, -0.0f, 0.0f, -0.0f, largest, -0.0f},
      {Preset::swiglu_beta, -0.0f, kInf, -0.0f, 0.0f, -0.0f, largest},
      {Activation::swiglu_beta(-1), -kInf, 0.0f, -0.0f, 0.0f, -largest, 0.0f},
      {Preset::geglu_tanh, -0.0f, kInf, -0.0f, 0.0f, -0.0f, largest},
      {Preset::geglu_erf, -0.0f, kInf, -0.0f, 0.0f, -0.0f, largest},
      {Preset::geglu_quick, -0.0f, kInf, -0.0f, 0.0f, -0.0f, largest},
      {Preset::reglu, 0.0f, kInf, 0.0f, 0.0f, 0.0f, largest},
      {Preset::relu2, 0.0f, kInf, 0.0f, 0.0f, 0.0f, kInf},
      {Preset::glu, 0.0f, 1.0f, 0.5f, 0.5f, 0.0f, 1.0f},
      {Preset::bilinear, -kInf, kInf, -0.0f, 0.0f, -largest, largest},
      {Activation::swiglu_step(7), -0.0f, 7.0f, -0.0f, 0.0f, -0.0f, 7.0f},
      {Activation::deepseek_v4(100), -0.0f, 100.0f, -0.0f, 0.0f, -0.0f, 100.0f},
      {Activation::situ(4, 1e30f), -0.0f, 4.0f, -0.0f, 0.0f, -0.0f, 4.0f},
  };
  for (const Row& row : rows) {
    const Activation& a = row.activation;
    const auto act = [&](float gate) { return bits_of(one(a, gate, 1.0f)); };  // all of them have v(1) = 1
    EXPECT_EQ(act(-kInf), bits_of(row.at_minus_inf)) << to_string(a);
    EXPECT_EQ(act(kInf), bits_of(row.at_inf)) << to_string(a);
    EXPECT_EQ(act(-0.0f), bits_of(row.at_minus_zero)) << to_string(a);
    EXPECT_EQ(act(0.0f), bits_of(row.at_zero)) << to_string(a);
    EXPECT_EQ(act(-largest), bits_of(row.at_lowest)) << to_string(a);
    EXPECT_EQ(act(largest), bits_of(row.at_largest)) << to_string(a);
    EXPECT_EQ(bits_of(one(a, 0.0f, -1.0f)), bits_of(-row.at_zero)) << to_string(a) << ": the product's sign is IEEE's";
  }
  EXPECT_TRUE(std::isnan(one(Preset::swiglu, -kInf, kInf))) << "0·∞";
  for (const Activation& a : all_kinds_of_activations()) {
    for (const std::uint32_t nan : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xffbfffffu}) {
      EXPECT_TRUE(std::isnan(one(a, float_of(nan), 1))) << to_string(a) << " hides a NaN gate";
      EXPECT_TRUE(std::isnan(one(a, 1, float_of(nan)))) << to_string(a) << " hides a NaN up";
    }
  }
}

// Clamping before or after silu differs by up to 6.4e-3 at L = 7 (activations.md).
TEST_P(Glu, OrderOfTheClamps) {
  const Activation before = Activation::deepseek_v4(7), after = Activation::swiglu_step(7);
  double largest = 0;
  for (float gate = 0; gate < 20; gate += 1.0f / 128) {
    largest = std::max<double>(largest, one(after, gate, 1) - one(before, gate, 1));
  }
  EXPECT_NEAR(largest, 7 - 7 / (1 + std::exp(-7.0)), 1e-6);
  EXPECT_NEAR(largest, 6.4e-3, 5e-5);
  EXPECT_EQ(one(after, 100, 1), 7.0f);
  EXPECT_EQ(one(before, 100, 1), static_cast<float>(7 / (1 + std::exp(-7.0))));
  // Neither clamps the gate from below, nor does gpt_oss; minimax_m3 does.
  for (const Activation& a : {before, after}) EXPECT_EQ(one(a, -20, 1), one(Preset::swiglu, -20, 1)) << to_string(a);
  EXPECT_LT(std::fabs(one(Preset::gpt_oss, -20, 0)), 1e-12f);
  EXPECT_EQ(one(Preset::minimax_m3, -20, 0), one(Preset::minimax_m3, -7, 0));
  EXPECT_GT(std::fabs(one(Preset::minimax_m3, -20, 0)), 4e-5f);
  EXPECT_EQ(one(Preset::gpt_oss, 20, 0), one(Preset::gpt_oss, 7, 0));
  // (clamp(u) + 1): -6 … 8.
  EXPECT_EQ(one(Preset::gpt_oss, 1, 100), 8 * one(Preset::gpt_oss, 1, 0));
  EXPECT_EQ(one(Preset::gpt_oss, 1, -100), -6 * one(Preset::gpt_oss, 1, 0));
  EXPECT_EQ(one(Preset::gpt_oss, 1, -1), 0.0f);
}

TEST_P(Glu, PresetsThatMustAgree) {
  for (const GluArrays& in : {ordinary_arrays(1003, 5), arrays_of_all_exponents(20003, 6), special_arrays()}) {
    const std::vector<float> swiglu = glu_of(Preset::swiglu, in, GetParam());
    EXPECT_TRUE(same_bits(glu_of(Activation::swiglu_beta(1), in, GetParam()), swiglu));
    std::vector<float> out(in.size(), canary());
    silu_mul(in.gate.data(), in.up.data(), out.data(), in.size(), GetParam());
    EXPECT_TRUE(same_bits(out, swiglu));
    // Signs of β1 and β2 do not matter; limits beyond every float do nothing.
    EXPECT_TRUE(same_bits(glu_of(Activation::situ(-4, -25), in, GetParam()), glu_of(Preset::situ, in, GetParam())));
  }
  const GluArrays in = ordinary_arrays(1003, 7);
  EXPECT_TRUE(
      same_bits(glu_of(Activation::deepseek_v4(1e30f), in, GetParam()), glu_of(Preset::swiglu, in, GetParam())));
  EXPECT_TRUE(
      same_bits(glu_of(Activation::swiglu_step(1e30f), in, GetParam()), glu_of(Preset::swiglu, in, GetParam())));
}

/// Values, so that every vector of a call holds ordinary and special ones.
GluArrays mixed_arrays(std::size_t n) {
  GluArrays mixed = ordinary_arrays(n, 8);
  const GluArrays special = special_arrays();
  for (std::size_t i = 0; i < n; i += 3) {
    mixed.gate[i] = special.gate[i * 37 % special.size()];
    mixed.up[i] = special.up[i * 53 % special.size()];
  }
  return mixed;
}

// Whole groups of vectors, single vectors, tails of every length: one value per input (hard case N-04).
TEST_P(Glu, SameBitsAtEveryPosition) {
  constexpr std::size_t kMost = 67, kShifts = 17;
  const GluArrays all = mixed_arrays(kMost + kShifts);
  for (const Activation& a : typical_activations()) {
    std::vector<float> alone;
    for (std::size_t i = 0; i < all.size(); ++i) alone.push_back(one(a, all.gate[i], all.up[i]));
    for (std::size_t n = 1; n <= kMost; ++n) {
      for (std::size_t shift = 0; shift < kShifts; shift += emulated() ? 5 : 1) {
        std::vector<float> out(n + 4, canary());
        glu(a, &all.gate[shift], &all.up[shift], out.data(), n, GetParam());
        ASSERT_TRUE(same_bits(out.data(), &alone[shift], n)) << to_string(a) << ", n " << n << " from " << shift;
        ASSERT_TRUE(all_canaries(&out[n], 4)) << "written past the end: " << to_string(a) << ", n " << n;
      }
    }
  }
}

constexpr Function kFunctions[] = {Function::silu, Function::silu_slope, Function::sigmoid,  Function::tanh,
                                   Function::exp,  Function::gelu_tanh,  Function::gelu_erf, Function::gelu_quick};

TEST_P(Glu, FunctionsHaveTheSameBitsAtEveryPosition) {
  const std::vector<float> x = mixed_arrays(84).gate;
  for (const Function f : kFunctions) {
    std::vector<float> alone(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) apply(f, &x[i], &alone[i], 1, GetParam());
    for (std::size_t n = 1; n <= 67; ++n) {
      std::vector<float> out(n + 4, canary()),
          in_place(x.begin() + 17, x.begin() + 17 + static_cast<std::ptrdiff_t>(n));
      apply(f, &x[17], out.data(), n, GetParam());
      apply(f, in_place.data(), in_place.data(), n, GetParam());
      ASSERT_TRUE(same_bits(out.data(), &alone[17], n)) << static_cast<int>(f) << ", n " << n;
      ASSERT_TRUE(same_bits(in_place.data(), &alone[17], n)) << "in place: " << static_cast<int>(f) << ", n " << n;
      ASSERT_TRUE(all_canaries(&out[n], 4));
    }
  }
}

TEST_P(Glu, InPlace) {
  const GluArrays in = mixed_arrays(133);
  for (const Activation& a : typical_activations()) {
    const std::vector<float> apart = glu_of(a, in, GetParam());
    GluArrays over_gate = in, over_up = in;
    glu(a, over_gate.gate.data(), over_gate.up.data(), over_gate.gate.data(), in.size(), GetParam());
    glu(a, over_up.gate.data(), over_up.up.data(), over_up.up.data(), in.size(), GetParam());
    EXPECT_TRUE(same_bits(over_gate.gate, apart)) << to_string(a);
    EXPECT_TRUE(same_bits(over_up.up, apart)) << to_string(a);
    std::vector<float> both = in.gate, expected = glu_of(a, {in.gate, in.gate, in.d_hidden}, GetParam());
    glu(a, both.data(), both.data(), both.data(), both.size(), GetParam());
    EXPECT_TRUE(same_bits(both, expected)) << to_string(a) << ": one array for all";
  }
}

TEST_P(Glu, RowsOfBothHalvesWithStrides) {
  for (const Activation& a : typical_activations()) {
    for (const std::size_t d_ff : {1, 5, 16, 40}) {
      const std::size_t T = 3, gap = 3, in_stride = 2 * d_ff + gap, out_stride = d_ff + gap;
      const std::vector<float> gate_up = random_floats(T * in_stride, d_ff, 8.0f);
      for (const bool gate_first : {true, false}) {
        const GateUpLayout layout = gate_first ? GateUpLayout::halves_gate_first : GateUpLayout::halves_up_first;
        std::vector<float> out(T * out_stride, canary()), in_place = gate_up;
        glu_rows(a, layout, gate_up.data(), in_stride, out.data(), out_stride, T, d_ff, GetParam());
        glu_rows(a, layout, in_place.data(), in_stride, in_place.data() + d_ff, in_stride, T, d_ff, GetParam());
        for (std::size_t t = 0; t < T; ++t) {
          const float* row = &gate_up[t * in_stride];
          std::vector<float> expected(d_ff);
          glu(a, row + (gate_first ? 0 : d_ff), row + (gate_first ? d_ff : 0), expected.data(), d_ff, GetParam());
          ASSERT_TRUE(same_bits(&out[t * out_stride], expected.data(), d_ff)) << to_string(a);
          ASSERT_TRUE(all_canaries(&out[t * out_stride + d_ff], gap));
          ASSERT_TRUE(same_bits(&in_place[t * in_stride + d_ff], expected.data(), d_ff))
              << "in place: " << to_string(a);
          ASSERT_TRUE(same_bits(&in_place[t * in_stride], row, d_ff)) << "the other half was touched";
        }
      }
    }
  }
}

TEST_P(Glu, NothingToDo) {
  const Isa isa = GetParam();
  EXPECT_NO_THROW(glu(Preset::reglu, nullptr, nullptr, nullptr, 0, isa));
  EXPECT_NO_THROW(apply(Function::tanh, nullptr, nullptr, 0, isa));
  EXPECT_NO_THROW(glu_rows(Preset::situ, GateUpLayout::halves_up_first, nullptr, 0, nullptr, 0, 0, 5, isa));
  EXPECT_NO_THROW(glu_rows(Preset::situ, GateUpLayout::halves_up_first, nullptr, 0, nullptr, 0, 5, 0, isa));
}

// What is no array is checked all the same: a caller's mistake must not wait for its first element.
TEST_P(Glu, BadArgumentsThrowWithNothingToDo) {
  const Isa isa = GetParam();
  Activation bad = Preset::gpt_oss;
  bad.limit = -1;
  EXPECT_THROW(glu(bad, nullptr, nullptr, nullptr, 0, isa), InvalidArgument);
  EXPECT_THROW(glu_backward(bad, nullptr, nullptr, nullptr, nullptr, nullptr, 0, isa), InvalidArgument);
  for (const std::size_t T : {0, 5}) {
    const std::size_t d_ff = 5 - T;
    const auto rows = [&](const Activation& a, GateUpLayout layout) {
      glu_rows(a, layout, nullptr, 0, nullptr, 0, T, d_ff, isa);
    };
    EXPECT_THROW(rows(bad, GateUpLayout::halves_gate_first), InvalidArgument);
    EXPECT_THROW(rows(Preset::glu, GateUpLayout::interleaved), InvalidArgument);
  }
  EXPECT_THROW(apply(static_cast<Function>(99), nullptr, nullptr, 0, isa), InvalidArgument);
}

TEST(GluWithNothingToDo, AnIsaThatThisLibraryLacksThrows) {
  for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512, Isa::neon}) {
    if (can_run(isa)) continue;
    EXPECT_THROW(apply(Function::exp, nullptr, nullptr, 0, isa), Unsupported);
    EXPECT_THROW(glu(Preset::glu, nullptr, nullptr, nullptr, 0, isa), Unsupported);
  }
}

TEST_P(Glu, BadArgumentsThrow) {
  const Isa isa = GetParam();
  std::vector<float> v(64, 1.0f);
  float* p = v.data();
  EXPECT_THROW(glu(Preset::glu, nullptr, p, p, 4, isa), InvalidArgument);
  EXPECT_THROW(glu(Preset::glu, p, nullptr, p, 4, isa), InvalidArgument);
  EXPECT_THROW(glu(Preset::glu, p, p, nullptr, 4, isa), InvalidArgument);
  EXPECT_THROW(glu(Preset::glu, p, p + 32, p + 1, 8, isa), InvalidArgument) << "out begins inside gate";
  EXPECT_THROW(glu(Preset::glu, p + 32, p + 1, p, 8, isa), InvalidArgument) << "out ends inside up";
  EXPECT_THROW(apply(Function::exp, p, p + 3, 8, isa), InvalidArgument);
  EXPECT_THROW(apply(static_cast<Function>(99), p, p, 8, isa), InvalidArgument);
  EXPECT_THROW(glu_rows(Preset::glu, GateUpLayout::halves_gate_first, p, 16, p + 1, 16, 2, 8, isa), InvalidArgument);
  EXPECT_THROW(glu_rows(Preset::glu, GateUpLayout::halves_gate_first, p, 15, p + 32, 8, 2, 8, isa), InvalidArgument);
  EXPECT_THROW(glu_rows(Preset::glu, GateUpLayout::halves_gate_first, p, 16, p + 32, 7, 2, 8, isa), InvalidArgument);
  EXPECT_THROW(glu_rows(Preset::glu, GateUpLayout::interleaved, p, 16, p + 32, 8, 2, 8, isa), InvalidArgument);
  Activation bad = Preset::swiglu;
  for (const float m : {0.0f, kInf, std::numeric_limits<float>::quiet_NaN()}) {
    bad.multiplier = m;
    EXPECT_THROW(glu(bad, p, p, p, 4, isa), InvalidArgument) << m;
    EXPECT_THROW(glu_rows(bad, GateUpLayout::halves_gate_first, p, 16, p + 32, 8, 2, 8, isa), InvalidArgument) << m;
  }
  Activation leftover = Preset::geglu_erf;
  leftover.limit = 7;
  EXPECT_THROW(glu(leftover, p, p, p, 4, isa), InvalidArgument);
  EXPECT_TRUE(std::all_of(v.begin(), v.end(), [](float x) { return x == 1.0f; })) << "a refused call wrote something";
}

TEST(GluBits, EqualOnEveryIsaWithFusedMultiplyAdd) {
  const std::vector<Isa> isas = runnable_fma_isas();
  if (isas.size() < 2) GTEST_SKIP() << "fewer than two such kernel sets run here; swiglu_hashes compares machines";
  const GluArrays ordinary = ordinary_arrays(30011, 9), exponents = arrays_of_all_exponents(30011, 10);
  for (const Activation& a : all_kinds_of_activations()) {
    for (const GluArrays& in : {ordinary, exponents}) {
      const std::vector<float> first = glu_of(a, in, isas[0]);
      for (std::size_t i = 1; i < isas.size(); ++i) {
        ASSERT_TRUE(same_bits(glu_of(a, in, isas[i]), first)) << to_string(a) << " on " << to_string(isas[i]);
      }
    }
  }
}

}  // namespace
}  // namespace swiglu::testing
