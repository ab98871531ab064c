// SiLU of every kernel set: accuracy against double, special values, shape, and equal bits at every position and on
// every ISA. (The run over all 2^32 floats is a test of its own, later; this one takes every 1021st.)

#include <gtest/gtest.h>
#include <swiglu/swiglu.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "support/bits.hpp"
#include "support/error_bound.hpp"
#include "support/isa_param.hpp"
#include "support/random.hpp"
#include "support/ulp.hpp"

namespace swiglu::testing {
namespace {

const float kInfinity = std::numeric_limits<float>::infinity();

constexpr double kPromisedUlp = 0.55;

// Where a run over all floats found the largest errors, the same on every ISA: 0.54318 and 0.54303 ulp.
constexpr float kWorst[] = {-0x1.159864p+6f, -0x1.d6b0fep+5f};

// Every step-th bit pattern of both signs, finite: all exponents, subnormals included. The step is odd, so that the low
// bits of the samples vary.
std::vector<float> samples_of_all_exponents() {
  const std::uint64_t step = emulated() ? 60013 : 1021;
  std::vector<float> samples(std::begin(kWorst), std::end(kWorst));
  for (std::uint64_t bits = 0; bits <= 0xffffffffu; bits += step) {
    const float g = float_of(static_cast<std::uint32_t>(bits));
    if (std::isfinite(g)) samples.push_back(g);
  }
  return samples;
}

// `n` values from `from` to `to`, in equal steps.
std::vector<float> equidistant(float from, float to, std::size_t n) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = static_cast<float>(from + (static_cast<double>(to) - from) * static_cast<double>(i) / (n - 1.0));
  }
  return values;
}

std::vector<float> silu_of(const std::vector<float>& g, Isa isa) {
  std::vector<float> out(g.size(), canary());
  silu(g.data(), out.data(), g.size(), isa);
  return out;
}

float silu_of(float g, Isa isa) {
  float out = canary();
  silu(&g, &out, 1, isa);
  return out;
}

class Silu : public IsaTest {
 protected:
  // The largest error over the samples, in ulp, with the place of it.
  double largest_error(const std::vector<float>& g, float* where) {
    const std::vector<float> s = silu_of(g, GetParam());
    double largest = -1;
    for (std::size_t i = 0; i < g.size(); ++i) {
      const double error = ulp_error(s[i], exact_silu(g[i]));
      if (error > largest) {
        largest = error;
        *where = g[i];
      }
    }
    return largest;
  }
};
SWIGLU_FOR_EVERY_ISA(Silu);

TEST_P(Silu, AccurateOverAllExponents) {
  const std::vector<float> g = samples_of_all_exponents();
  float where = 0;
  const double largest = largest_error(g, &where);
  std::printf("  silu/%s: %zu floats of all exponents, largest error %.4f ulp at %a\n", to_string(GetParam()), g.size(),
              largest, where);
  EXPECT_LE(largest, kPromisedUlp) << "at " << where;
}

// Where the function is not flat, and where results become subnormal.
TEST_P(Silu, AccurateWhereItCurves) {
  const std::size_t n = emulated() ? 20000 : 1000000;
  const float ranges[][2] = {{-104.5f, -86.0f}, {-90.0f, -10.0f}, {-10.0f, 10.0f}, {-1.5f, -1.0f}, {10.0f, 120.0f}};
  for (const auto& range : ranges) {
    float where = 0;
    const double largest = largest_error(equidistant(range[0], range[1], n), &where);
    std::printf("  silu/%s: [%g, %g] largest error %.4f ulp at %a\n", to_string(GetParam()), range[0], range[1],
                largest, where);
    EXPECT_LE(largest, kPromisedUlp) << "at " << where;
  }
}

TEST_P(Silu, SpecialValues) {
  const Isa isa = GetParam();
  EXPECT_EQ(bits_of(silu_of(0.0f, isa)), bits_of(0.0f));
  EXPECT_EQ(bits_of(silu_of(-0.0f, isa)), bits_of(-0.0f));
  EXPECT_EQ(bits_of(silu_of(-kInfinity, isa)), bits_of(-0.0f)) << "the limit";
  EXPECT_EQ(silu_of(kInfinity, isa), kInfinity);
  for (std::uint32_t nan : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xffbfffffu}) {
    EXPECT_TRUE(std::isnan(silu_of(float_of(nan), isa))) << std::hex << nan;
  }
  EXPECT_EQ(silu_of(std::numeric_limits<float>::max(), isa), std::numeric_limits<float>::max());
  EXPECT_EQ(bits_of(silu_of(std::numeric_limits<float>::lowest(), isa)), bits_of(-0.0f));
  // The true values are normal down to -91.8: an exponent clamped at -87 returns 0 here.
  EXPECT_NEAR(silu_of(-89.0f, isa), -1.9823536e-37, 3e-44);
  EXPECT_LT(silu_of(-91.7f, isa), -std::numeric_limits<float>::min());
  EXPECT_LT(silu_of(-100.0f, isa), 0.0f) << "subnormal, not flushed";
  EXPECT_EQ(silu_of(-0x1p-149f, isa), -0.0f);  // half of the smallest subnormal rounds to even
  EXPECT_EQ(silu_of(0x1p-148f, isa), 0x1p-149f);
}

TEST_P(Silu, MinimumIsWhereItBelongs) {
  const std::vector<float> g = equidistant(-1.29f, -1.27f, 20001);
  const std::vector<float> s = silu_of(g, GetParam());
  std::size_t lowest = 0;
  for (std::size_t i = 1; i < s.size(); ++i) {
    if (s[i] < s[lowest]) lowest = i;
  }
  EXPECT_NEAR(s[lowest], -0.27846454, 3e-8);
  EXPECT_NEAR(g[lowest], -1.27846, 1e-3);
}

// For g < 0: -0.2785 ≤ silu ≤ 0 down to the largest magnitudes (hard case N-02), and one piece falls, one rises.
TEST_P(Silu, BoundedAndMonotoneInPieces) {
  std::vector<float> g;
  for (double magnitude = 3.0e38; magnitude > 1e-30; magnitude *= 0.9999) g.push_back(static_cast<float>(-magnitude));
  const std::vector<float> s = silu_of(g, GetParam());
  for (std::size_t i = 0; i < g.size(); ++i) {
    ASSERT_LE(s[i], 0.0f) << g[i];
    ASSERT_GE(s[i], -0.2785f) << g[i];
    if (i == 0) continue;
    const float ulp = std::fabs(s[i]) * 0x1p-23f;  // one ulp may go the wrong way where the function is flat
    if (g[i] < -1.2785f) {
      ASSERT_LE(s[i], s[i - 1] + ulp) << "falls until the minimum: at " << g[i];
    } else if (g[i - 1] > -1.2784f) {
      ASSERT_GE(s[i], s[i - 1] - ulp) << "rises after it: at " << g[i];
    }
  }
}

TEST_P(Silu, NeverNaNForFiniteInput) {
  for (const auto& range : {equidistant(-110.0f, -86.0f, 200000), equidistant(86.0f, 90.0f, 200000),
                            std::vector<float>{-1e3f, 1e3f, 3212.5f, -3212.5f}}) {
    for (float s : silu_of(range, GetParam())) ASSERT_FALSE(std::isnan(s));
  }
}

// Body and tail, every lane: one value per input (hard case N-04).
TEST_P(Silu, SameBitsAtEveryPosition) {
  const std::vector<float> interesting = {0.0f,   -0.0f,   1.0f,      -1.0f,      -1.2785f,   88.5f, -88.5f,
                                          -89.0f, -95.5f,  -103.5f,   1e3f,       -1e3f,      3e38f, -3e38f,
                                          1e-40f, -1e-40f, kInfinity, -kInfinity, 0.3333333f, -7.7f};
  for (float value : interesting) {
    const std::uint32_t expected = bits_of(silu_of(value, GetParam()));
    for (std::size_t n = 1; n <= 67; ++n) {
      for (std::size_t position = 0; position < n; ++position) {
        std::vector<float> g = random_floats(n, n, 50.0f);
        g[position] = value;
        ASSERT_EQ(bits_of(silu_of(g, GetParam())[position]), expected) << value << " at " << position << " of " << n;
      }
    }
  }
}

TEST_P(Silu, WritesExactlyItsElements) {
  for (std::size_t n = 0; n <= 70; ++n) {
    for (std::size_t offset : {1, 3, 16}) {
      const std::vector<float> g = random_floats(offset + n, n, 10.0f);
      std::vector<float> out(offset + n + 16, canary());
      silu(g.data() + offset, out.data() + offset, n, GetParam());
      ASSERT_TRUE(all_canaries(out.data(), offset) && all_canaries(out.data() + offset + n, 16)) << n;
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_LE(ulp_error(out[offset + i], exact_silu(g[offset + i])), kPromisedUlp);
    }
  }
}

TEST_P(Silu, InPlace) {
  const std::vector<float> g = random_floats(133, 1, 20.0f);
  std::vector<float> in_place = g;
  silu(in_place.data(), in_place.data(), in_place.size(), GetParam());
  EXPECT_TRUE(same_bits(in_place, silu_of(g, GetParam())));
}

TEST_P(Silu, NothingForNoElements) {
  EXPECT_NO_THROW(silu(nullptr, nullptr, 0, GetParam()));
  EXPECT_NO_THROW(silu_mul(nullptr, nullptr, nullptr, 0, GetParam()));
}

TEST_P(Silu, BadArgumentsThrow) {
  std::vector<float> v(20, 1.0f);
  EXPECT_THROW(silu(nullptr, v.data(), 1, GetParam()), InvalidArgument);
  EXPECT_THROW(silu(v.data(), nullptr, 1, GetParam()), InvalidArgument);
  EXPECT_THROW(silu(v.data(), v.data() + 1, 10, GetParam()), InvalidArgument) << "partial overlap";
  EXPECT_THROW(silu_mul(v.data(), v.data(), v.data() + 1, 10, GetParam()), InvalidArgument);
}

class SiluMul : public IsaTest {};
SWIGLU_FOR_EVERY_ISA(SiluMul);

// One rounding on top of silu: silu_mul = silu · up in f32.
TEST_P(SiluMul, IsSiluTimesUpRoundedOnce) {
  for (std::size_t n : {0, 1, 7, 8, 15, 16, 17, 33, 1000}) {
    const std::vector<float> gate = random_floats(n, n, 30.0f), up = random_floats(n, n + 1, 5.0f);
    std::vector<float> expected = silu_of(gate, GetParam());
    for (std::size_t i = 0; i < n; ++i) expected[i] *= up[i];
    std::vector<float> out(n + 4, canary());
    silu_mul(gate.data(), up.data(), out.data(), n, GetParam());
    ASSERT_TRUE(same_bits(out.data(), expected.data(), n)) << n;
    ASSERT_TRUE(all_canaries(out.data() + n, 4)) << n;
    for (bool over_gate : {true, false}) {
      std::vector<float> a = gate, b = up;
      silu_mul(a.data(), b.data(), (over_gate ? a : b).data(), n, GetParam());
      ASSERT_TRUE(same_bits(over_gate ? a : b, expected)) << "in place, n " << n;
    }
  }
}

TEST_P(SiluMul, RowsOfBothHalvesWithStrides) {
  for (std::size_t d_ff : {1, 5, 16, 31, 40}) {
    for (std::size_t T : {1, 3, 8}) {
      for (std::size_t gap : {0, 3}) {
        const std::size_t in_stride = 2 * d_ff + gap, out_stride = d_ff + gap;
        const std::vector<float> gate_up = random_floats(T * in_stride, T, 20.0f);
        for (GateUpLayout layout : {GateUpLayout::halves_gate_first, GateUpLayout::halves_up_first}) {
          std::vector<float> out(T * out_stride, canary());
          // The rows may end with the last element: no gap belongs to the caller there.
          silu_mul_rows(layout, gate_up.data(), in_stride, out.data(), out_stride, T, d_ff, GetParam());
          const bool gate_first = layout == GateUpLayout::halves_gate_first;
          for (std::size_t t = 0; t < T; ++t) {
            const float* row = &gate_up[t * in_stride];
            std::vector<float> expected(d_ff);
            silu_mul(row + (gate_first ? 0 : d_ff), row + (gate_first ? d_ff : 0), expected.data(), d_ff, GetParam());
            ASSERT_TRUE(same_bits(&out[t * out_stride], expected.data(), d_ff));
            ASSERT_TRUE(all_canaries(&out[t * out_stride] + d_ff, gap));
          }
        }
      }
    }
  }
  std::vector<float> v(64, 1.0f), out(64);
  EXPECT_THROW(silu_mul_rows(GateUpLayout::interleaved, v.data(), 8, out.data(), 4, 2, 4, GetParam()), InvalidArgument);
  EXPECT_THROW(silu_mul_rows(GateUpLayout::halves_gate_first, v.data(), 7, out.data(), 4, 2, 4, GetParam()),
               InvalidArgument);
  EXPECT_THROW(silu_mul_rows(GateUpLayout::halves_gate_first, v.data(), 8, out.data(), 3, 2, 4, GetParam()),
               InvalidArgument);
}

TEST(SiluBits, EqualOnEveryIsaWithFusedMultiplyAdd) {
  const std::vector<Isa> isas = runnable_fma_isas();
  if (isas.size() < 2) GTEST_SKIP() << "fewer than two such kernel sets run here; swiglu_hashes compares machines";
  const std::vector<float> g = samples_of_all_exponents();
  const std::vector<float> expected = silu_of(g, isas[0]);
  for (std::size_t i = 1; i < isas.size(); ++i) {
    EXPECT_TRUE(same_bits(silu_of(g, isas[i]), expected)) << to_string(isas[i]) << " and " << to_string(isas[0]);
  }
}

// The block's bound takes one ulp for granted; exact_silu itself must be good for that.
TEST(ExactSilu, HasItsLimits) {
  EXPECT_EQ(exact_silu(std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::signbit(exact_silu(-std::numeric_limits<double>::infinity())));
  EXPECT_NEAR(exact_silu(-1.2784645427610738), -0.27846454276107374, 1e-16);
  EXPECT_NEAR(exact_silu(-89.0), -89.0 * std::exp(-89.0), 1e-52);
}

}  // namespace
}  // namespace swiglu::testing
