// Every layout of the same weights resolves to the same elements, and contradictions are errors.

#include "weight_views.hpp"

#include <gtest/gtest.h>
#include <swiglu/error.h>

#include <string>
#include <vector>

#include "support/block_case.hpp"

namespace swiglu {
namespace {

using testing::all_layouts;
using testing::BlockCase;
using testing::Layout;
using testing::random_block;
using testing::store;
using testing::StoredWeights;

std::string error_of(std::size_t d_model, std::size_t d_ff, const Weights& weights) {
  try {
    resolve_weights(d_model, d_ff, weights);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

void expect_error(const std::string& error, const std::string& part) {
  EXPECT_NE(error.find(part), std::string::npos) << "expected \"" << part << "\" in: " << error;
}

/// Whether p lies in v.
bool inside(const float* p, const std::vector<float>& v) { return p >= v.data() && p < v.data() + v.size(); }

void expect_elements(const BlockWeights& resolved, const BlockCase& block, const StoredWeights& stored, bool fused) {
  for (std::size_t j = 0; j < block.d_ff; ++j) {
    for (std::size_t q = 0; q < block.d_model; ++q) {
      ASSERT_TRUE(inside(resolved.gate.at(j, q), fused ? stored.gate_up : stored.gate));
      ASSERT_TRUE(inside(resolved.up.at(j, q), fused ? stored.gate_up : stored.up));
      ASSERT_TRUE(inside(resolved.down.at(q, j), stored.down));
      EXPECT_EQ(*resolved.gate.at(j, q), block.gate[j * block.d_model + q]);
      EXPECT_EQ(*resolved.up.at(j, q), block.up[j * block.d_model + q]);
      EXPECT_EQ(*resolved.down.at(q, j), block.down[q * block.d_ff + j]);
    }
    EXPECT_EQ(resolved.gate_bias.value_or_zero(j), block.gate_bias[j]);
    EXPECT_EQ(resolved.up_bias.value_or_zero(j), block.up_bias[j]);
  }
  for (std::size_t q = 0; q < block.d_model; ++q) EXPECT_EQ(resolved.down_bias.value_or_zero(q), block.down_bias[q]);
}

TEST(WeightLayouts, ResolveToTheSameElements) {
  constexpr std::size_t kSizes[][2] = {{5, 7}, {7, 5}, {1, 3}, {3, 1}, {1, 1}, {4, 4}};
  const std::vector<Layout> layouts = all_layouts();
  ASSERT_GE(layouts.size(), 32u);
  for (const Layout& layout : layouts) {
    for (const auto& [d_model, d_ff] : kSizes) {
      SCOPED_TRACE(layout.name() + ", " + std::to_string(d_model) + " -> " + std::to_string(d_ff));
      const BlockCase block = random_block(d_model, d_ff);
      const StoredWeights stored = store(block, layout);
      const BlockWeights resolved = resolve_weights(d_model, d_ff, stored.view);
      EXPECT_EQ(resolved.d_model, d_model);
      EXPECT_EQ(resolved.d_ff, d_ff);
      expect_elements(resolved, block, stored, layout.fused);
    }
  }
}

/// 2 → 3 weights, all in one vector large enough for any view.
class WeightErrors : public ::testing::Test {
 protected:
  std::vector<float> data = std::vector<float>(64, 1.0f);
  Weights separate = Weights::separate({data.data()}, {data.data()}, {data.data()});
  Weights fused = Weights::fused_gate_up(GateUpLayout::halves_gate_first, {data.data()}, {data.data()});
  std::string error(const Weights& weights) { return error_of(2, 3, weights); }
};

TEST_F(WeightErrors, GoodOnesPass) {
  EXPECT_EQ(error(separate), "no error");
  EXPECT_EQ(error(fused), "no error");
}

TEST_F(WeightErrors, AbsentBiasesStayAbsent) {
  const BlockWeights block = resolve_weights(2, 3, separate);
  EXPECT_EQ(block.gate_bias.data, nullptr);
  EXPECT_EQ(block.up_bias.data, nullptr);
  EXPECT_EQ(block.down_bias.data, nullptr);
}

TEST_F(WeightErrors, SeparateBiasesOfFusedWeights) {
  fused.gate_bias = data.data() + 1;
  fused.up_bias = data.data() + 5;
  const BlockWeights block = resolve_weights(2, 3, fused);
  EXPECT_EQ(block.gate_bias.data, data.data() + 1);
  EXPECT_EQ(block.up_bias.data, data.data() + 5);
}

TEST_F(WeightErrors, NullData) {
  for (const auto& [member, name] :
       {std::pair<MatrixView Weights::*, const char*>{&Weights::gate, "weights.gate = null"},
        {&Weights::up, "weights.up = null"},
        {&Weights::down, "weights.down = null"}}) {
    Weights weights = separate;
    (weights.*member).data = nullptr;
    expect_error(error(weights), name);
  }
  fused.gate_up.data = nullptr;
  expect_error(error(fused), "weights.gate_up = null");
}

TEST_F(WeightErrors, Misaligned) {
  const float* odd = reinterpret_cast<const float*>(reinterpret_cast<const char*>(data.data()) + 2);
  separate.up.data = odd;
  expect_error(error(separate), "weights.up = ");
  separate.up.data = data.data();
  separate.gate_bias = odd;
  expect_error(error(separate), "weights.gate_bias = ");
}

TEST_F(WeightErrors, StrideBelowTheWidth) {
  separate.gate.stride = 1;  // d_model = 2
  expect_error(error(separate), "weights.gate.stride = 1: must be at least d_model = 2");
  separate.gate = {data.data(), Order::in_out, 2};  // d_ff = 3
  expect_error(error(separate), "weights.gate.stride = 2: must be at least d_ff = 3");
  separate.gate.stride = 3;
  EXPECT_EQ(error(separate), "no error");
  separate.down.stride = 0;
  expect_error(error(separate), "weights.down.stride = 0: must be at least d_ff = 3");
  fused.gate_up = {data.data(), Order::in_out, 5};  // 2·d_ff = 6
  expect_error(error(fused), "weights.gate_up.stride = 5: must be at least 2·d_ff = 6");
}

TEST_F(WeightErrors, StrideOverflows) {
  separate.gate.stride = kDense - 1;
  expect_error(error(separate), "weights.gate: ");
  separate.gate.stride = kDense / 8;  // fits as elements, not as bytes
  expect_error(error(separate), "weights.gate.stride = ");
}

TEST_F(WeightErrors, InvalidEnums) {
  separate.down.order = static_cast<Order>(9);
  expect_error(error(separate), "order = 9");
  fused.gate_up_layout = static_cast<GateUpLayout>(9);
  expect_error(error(fused), "weights.gate_up_layout = 9");
}

TEST_F(WeightErrors, Contradictions) {
  Weights weights = separate;
  weights.fused = true;
  expect_error(error(weights), "weights.gate is set although");
  weights.gate = {};
  expect_error(error(weights), "weights.up is set although");

  weights = separate;
  weights.gate_up.data = data.data();
  expect_error(error(weights), "weights.gate_up is set although weights.fused = false");

  weights = separate;
  weights.gate_up_bias = data.data();
  expect_error(error(weights), "weights.gate_up_bias is set although weights.fused = false");

  weights = fused;
  weights.gate_up_bias = data.data();
  EXPECT_EQ(error(weights), "no error");
  weights.up_bias = data.data();
  expect_error(error(weights), "weights.up_bias is set although weights.gate_up_bias");
  weights.up_bias = nullptr;
  weights.gate_bias = data.data();
  expect_error(error(weights), "weights.gate_bias is set although weights.gate_up_bias");
}

TEST_F(WeightErrors, Sizes) {
  expect_error(error_of(0, 3, separate), "d_model = 0");
  expect_error(error_of(2, 0, separate), "d_ff = 0");
  const std::size_t huge = std::size_t{1} << 33;
  expect_error(error_of(huge, huge, separate), "d_model = 8589934592, d_ff = 8589934592");
  expect_error(error_of(kDense, 1, separate), "d_model = 18446744073709551615");
  expect_error(error_of(1, kDense, fused), "d_ff = 18446744073709551615");
}

}  // namespace
}  // namespace swiglu
