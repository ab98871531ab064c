// A forced ISA is proven to be what ran (hard case D-15; FBGEMM's forced ISA once fell back silently and its tests
// passed without running the kernel). With every other kernel table poisoned the results are right and nobody touched
// the poison; with its own table poisoned, the calls are counted. That the functions of a table really use the
// instructions of its ISA is proven on the disassembly (disassembly_test.py).

#include <gtest/gtest.h>
#include <swiglu/swiglu.h>

#include "dispatch/kernel_sets.hpp"
#include "support/bits.hpp"
#include "support/block_case.hpp"
#include "support/isa_param.hpp"
#include "support/poisoned_tables.hpp"
#include "support/random.hpp"

namespace swiglu::testing {
namespace {

// Only those that run here: kernel_set() refuses the others, and calling one would be a SIGILL.
std::vector<const kernels::KernelSet*> tables_of_others(Isa isa) {
  std::vector<const kernels::KernelSet*> sets;
  for (Isa other : supported_isas()) {
    if (other != isa) sets.push_back(&kernel_set(other));
  }
  return sets;
}

class ForcedIsa : public IsaTest {};
SWIGLU_FOR_EVERY_ISA(ForcedIsa);

TEST_P(ForcedIsa, RunsThroughItsOwnTableOnly) {
  const BlockCase block = random_block(40, 50);
  const FeedForward ff(block.d_model, block.d_ff, block.weights(), single_threaded(GetParam()));
  ASSERT_EQ(ff.isa(), GetParam());
  for (std::size_t T : {1, 2, 9, 40}) {
    const std::vector<float> x = random_floats(T * block.d_model, T);
    const std::vector<float> expected = forward(ff, x, T);
    {
      const PoisonedTables others(tables_of_others(GetParam()));
      EXPECT_TRUE(same_bits(forward(ff, x, T), expected)) << "T " << T;
      EXPECT_EQ(PoisonedTables::tile_calls(), 0) << "another kernel set was called";
    }
    {
      const PoisonedTables own({&kernel_set(GetParam())});
      forward(ff, x, T);
      EXPECT_GT(PoisonedTables::tile_calls(), 0) << "its kernel set was not called";
    }
  }
}

TEST_P(ForcedIsa, HoldsForElementwiseFunctions) {
  const std::vector<float> g = random_floats(40, 1);
  std::vector<float> out(40);
  const auto run_all = [&] {
    silu(g.data(), out.data(), 40, GetParam());
    silu_mul(g.data(), g.data(), out.data(), 40, GetParam());
    silu_mul_rows(GateUpLayout::halves_gate_first, g.data(), 10, out.data(), 5, 4, 5, GetParam());
  };
  {
    const PoisonedTables others(tables_of_others(GetParam()));
    run_all();
    EXPECT_EQ(PoisonedTables::elementwise_calls(), 0);
  }
  const PoisonedTables own({&kernel_set(GetParam())});
  run_all();
  EXPECT_GE(PoisonedTables::elementwise_calls(), 3);
}

TEST_P(ForcedIsa, AppliesToPackedObjectsSideBySide) {
  const BlockCase block = random_block(24, 40);
  Options options = single_threaded(GetParam());
  const FeedForward forced(block.d_model, block.d_ff, block.weights(), options);
  options.isa = Isa::portable;
  const FeedForward portable(block.d_model, block.d_ff, block.weights(), options);
  const std::vector<float> x = random_floats(3 * block.d_model, 1);
  const std::vector<float> expected = forward(forced, x, 3);
  forward(portable, x, 3);
  EXPECT_TRUE(same_bits(forward(forced, x, 3), expected)) << "the last object's ISA must not leak";
  EXPECT_EQ(forced.isa(), GetParam());
  EXPECT_EQ(portable.isa(), Isa::portable);
}

// (1 + 2^-12)² - (1 + 2^-11) is 2^-24 with one rounding and 0 with two.
TEST_P(ForcedIsa, FusesExactlyWhereItsIsaCan) {
  BlockCase block = random_block(1, 1, kDownBias);
  block.gate = {200.0f};  // hidden = silu(200)·up = 200·up
  block.up = {0x1p-3f * (1.0f + 0x1p-12f) / 25.0f};
  block.down = {1.0f + 0x1p-12f};
  const FeedForward plain(1, 1, block.weights(), single_threaded(GetParam()));
  block.down_bias = {0.0f};
  const FeedForward unbiased(1, 1, block.weights(), single_threaded(GetParam()));
  const float product = forward(unbiased, {1.0f}, 1)[0];  // rounded
  block.down_bias = {-product};
  const FeedForward residual(1, 1, block.weights(), single_threaded(GetParam()));
  const bool fused = forward(residual, {1.0f}, 1)[0] != 0.0f;  // what the rounding of the product dropped
#if defined(__x86_64__)
  EXPECT_EQ(fused, GetParam() != Isa::portable) << "baseline x86-64 has no fused multiply-add, all others must use it";
#else
  EXPECT_TRUE(fused || GetParam() == Isa::portable);
#endif
}

TEST(KernelTables, AreDistinct) {
  const std::vector<Isa> isas = supported_isas();
  for (std::size_t i = 0; i < isas.size(); ++i) {
    EXPECT_EQ(kernel_set(isas[i]).isa, isas[i]);
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(&kernel_set(isas[i]), &kernel_set(isas[j]));
      EXPECT_NE(kernel_set(isas[i]).gate_up.one[1], kernel_set(isas[j]).gate_up.one[1]);
      EXPECT_NE(kernel_set(isas[i]).down.one[1], kernel_set(isas[j]).down.one[1]);
      EXPECT_NE(kernel_set(isas[i]).functions[0], kernel_set(isas[j]).functions[0]);
    }
  }
}

}  // namespace
}  // namespace swiglu::testing
