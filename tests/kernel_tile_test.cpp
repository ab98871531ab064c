// Every tile function of every kernel set against the kernel contract (src/kernels/kernel_set.hpp):
// every row count × odd and even k × ragged columns × cuts of k × accumulation, with exact buffers.

#include <gtest/gtest.h>

#include <cmath>

#include "dispatch/kernel_sets.hpp"
#include "glu.hpp"
#include "support/bits.hpp"
#include "support/error_bound.hpp"
#include "support/isa_param.hpp"
#include "support/tile_case.hpp"

namespace swiglu::testing {
namespace {

using kernels::kGateColumns;
using kernels::kPanelColumns;

const std::size_t kDepths[] = {0, 1, 2, 3, 15, 16, 17, 31, 33, 47, 64, 100};

std::string describe(const TileFunction& f, std::size_t k) {
  return std::string(f.gate_up ? "gate_up" : "down") + ", mr " + std::to_string(f.mr) + ", panels " +
         std::to_string(f.panels) + ", k " + std::to_string(k);
}

// What the epilogue must make of accumulators [panels][mr][32].
std::vector<float> epilogue_of(const TileFunction& f, const std::vector<float>& acc, const TileOptions& options) {
  std::vector<float> out;
  if (f.gate_up) {
    for (std::size_t tile_row = 0; tile_row < f.panels * f.mr; ++tile_row) {
      float hidden[kGateColumns];
      options.glu->kernel.forward(&acc[tile_row * kPanelColumns], &acc[tile_row * kPanelColumns + kGateColumns], hidden,
                                  kGateColumns, options.glu->parameters);
      out.insert(out.end(), hidden, hidden + kGateColumns);
    }
    return out;
  }
  for (std::size_t i = 0; i < f.mr; ++i) {
    for (std::size_t c = 0; c < options.columns; ++c) {
      const float value = acc[(c / kPanelColumns * f.mr + i) * kPanelColumns + c % kPanelColumns];
      out.push_back(options.accumulate ? TileCase::y0(i, c) + value : value);
    }
  }
  return out;
}

TileOptions full_width(const kernels::Glu& glu, const TileFunction& f) {
  TileOptions options;
  options.glu = &glu;
  options.columns = f.panels * kPanelColumns;
  options.stride = options.columns + 3;
  return options;
}

void check_all(Isa isa, GuardSide side) {
  const kernels::KernelSet& set = kernel_set(isa);
  const kernels::Glu glu = bind_glu(set, Activation());
  for (const TileFunction& f : tile_functions(set)) {
    ASSERT_NE(f.call, nullptr) << describe(f, 0);
    for (std::size_t k : kDepths) {
      SCOPED_TRACE(describe(f, k));
      TileCase tile(f.mr, f.panels, k, side);
      const std::vector<float> acc = tile.partial(f);
      if (isa == Isa::portable) {
        std::vector<double> value, absolute;
        tile.exact(&value, &absolute);
        for (std::size_t i = 0; i < acc.size(); ++i) {
          ASSERT_LE(std::fabs(acc[i] - value[i]), dot_bound(k, absolute[i])) << "accumulator " << i;
        }
      } else {
        ASSERT_TRUE(same_bits(acc, tile.model()));
      }

      TileOptions options = full_width(glu, f);
      const std::vector<float> whole = tile.run(f, options);
      ASSERT_TRUE(same_bits(whole, epilogue_of(f, acc, options))) << "epilogue";

      // A chain cut into several calls is the same chain; prefetching changes nothing.
      for (std::size_t cut = 16; cut < k; cut += 16) {
        options.cuts = {cut};
        ASSERT_TRUE(same_bits(whole, tile.run(f, options))) << "k cut at " << cut;
      }
      if (k > 32) {
        options.cuts = {16, 32};
        options.prefetch = true;
        ASSERT_TRUE(same_bits(whole, tile.run(f, options))) << "k in three pieces, with prefetch";
      }
      if (f.gate_up) continue;

      for (std::size_t columns = 1; columns <= f.panels * kPanelColumns; ++columns) {
        for (bool accumulate : {false, true}) {
          TileOptions ragged;
          ragged.columns = columns;
          ragged.stride = columns + (columns % 3);
          ragged.accumulate = accumulate;
          ASSERT_TRUE(same_bits(tile.run(f, ragged), epilogue_of(f, acc, ragged)))
              << columns << " columns, accumulate " << accumulate;
        }
      }
    }
  }
}

class KernelTile : public IsaTest {};
TEST_P(KernelTile, FollowsTheContract) { check_all(GetParam(), GuardSide::none); }
SWIGLU_FOR_EVERY_ISA(KernelTile);

class KernelTileGuard : public IsaTest {};
TEST_P(KernelTileGuard, NothingIsTouchedAfterABuffer) { check_all(GetParam(), GuardSide::after); }
TEST_P(KernelTileGuard, NothingIsTouchedBeforeABuffer) { check_all(GetParam(), GuardSide::before); }
SWIGLU_FOR_EVERY_ISA(KernelTileGuard);

class KernelTable : public IsaTest {};

TEST_P(KernelTable, IsFilledAsItsSizesSay) {
  const kernels::KernelSet& set = kernel_set(GetParam());
  EXPECT_EQ(set.isa, GetParam());
  ASSERT_GE(set.tile_rows, 1u);
  ASSERT_LE(set.tile_rows, kernels::kMaxTileRows);
  EXPECT_TRUE(set.tall_rows == 0 || set.tall_rows > set.tile_rows) << set.tall_rows;
  for (const kernels::Tuning& tuning : set.tunings) {
    EXPECT_GT(tuning.k_block, 0u);
    EXPECT_EQ(tuning.k_block % kernels::kBlock, 0u);
    EXPECT_LT(tuning.near, tuning.k_block);
    for (std::size_t mr = 1; mr <= set.tile_rows; ++mr) {
      const kernels::Streaming& how = tuning.streaming[mr];
      EXPECT_TRUE(how.panels == 1 || how.panels == set.panels[mr]) << mr;
      EXPECT_TRUE(how.near == 0 || (how.panels == 1 && how.near < how.ahead)) << mr;
    }
  }
  for (const kernels::TileTable* table : {&set.gate_up, &set.down}) {
    EXPECT_EQ(table->one[0], nullptr);
    for (std::size_t mr = 1; mr <= kernels::kMaxTileRows; ++mr) {
      EXPECT_EQ(table->one[mr] != nullptr, mr <= set.tile_rows || mr == set.tall_rows) << mr;
      EXPECT_EQ(table->many[mr] != nullptr, mr <= set.tile_rows && set.panels[mr] > 1) << mr;
    }
  }
}
SWIGLU_FOR_EVERY_ISA(KernelTable);

}  // namespace
}  // namespace swiglu::testing
