// The panel format (src/kernels/kernel_set.hpp), element by element, and that every layout gives the same bytes.

#include <gtest/gtest.h>

#include <cstring>

#include "packing/pack_panels.hpp"
#include "packing/pack_rows.hpp"
#include "support/bits.hpp"
#include "support/block_case.hpp"
#include "support/random.hpp"

namespace swiglu::testing {
namespace {

std::vector<float> pack(const BlockCase& block, const Weights& weights) {
  const BlockWeights resolved = resolve_weights(block.d_model, block.d_ff, weights);
  const PackedLayout layout = packed_layout(block.d_model, block.d_ff);
  std::vector<float> packed(layout.floats(), canary());
  pack_gate_up(resolved, 0, layout.gate_up_panels, packed.data());
  pack_down(resolved, 0, layout.down_panels, packed.data() + layout.gate_up_floats());
  return packed;
}

float at_or_zero(const std::vector<float>& v, std::size_t i) { return v.empty() ? 0.0f : v[i]; }

const std::pair<std::size_t, std::size_t> kShapes[] = {{1, 1},   {3, 15},  {16, 16}, {31, 17},
                                                       {32, 32}, {33, 48}, {70, 5}};

TEST(PackPanels, EveryElementIsWhereTheFormatSays) {
  for (const auto& [d, h] : kShapes) {
    for (unsigned biases = 0; biases <= kAllBiases; ++biases) {
      const BlockCase block = random_block(d, h, biases);
      const std::vector<float> packed = pack(block, block.weights());
      const std::size_t gate_up_panels = (h + 15) / 16, down_panels = (d + 31) / 32;
      ASSERT_EQ(packed.size(), gate_up_panels * (1 + d) * 32 + down_panels * (1 + h) * 32);
      std::size_t n = 0;
      for (std::size_t panel = 0; panel < gate_up_panels; ++panel) {
        for (std::size_t q = 0; q <= d; ++q) {
          for (std::size_t c = 0; c < 32; ++c, ++n) {
            const std::size_t unit = panel * 16 + c % 16;
            const auto& matrix = c < 16 ? block.gate : block.up;
            const auto& bias = c < 16 ? block.gate_bias : block.up_bias;
            const float expected = unit >= h ? 0.0f : q == 0 ? at_or_zero(bias, unit) : matrix[unit * d + q - 1];
            ASSERT_EQ(bits_of(packed[n]), bits_of(expected))
                << "gate-up panel " << panel << ", row " << q << ", column " << c;
          }
        }
      }
      for (std::size_t panel = 0; panel < down_panels; ++panel) {
        for (std::size_t q = 0; q <= h; ++q) {
          for (std::size_t c = 0; c < 32; ++c, ++n) {
            const std::size_t unit = panel * 32 + c;
            const float expected = unit >= d ? 0.0f
                                   : q == 0  ? at_or_zero(block.down_bias, unit)
                                             : block.down[unit * h + q - 1];
            ASSERT_EQ(bits_of(packed[n]), bits_of(expected))
                << "down panel " << panel << ", row " << q << ", column " << c;
          }
        }
      }
    }
  }
}

TEST(PackPanels, EveryLayoutPacksToTheSameBytes) {
  for (const auto& [d, h] : kShapes) {
    for (unsigned biases : {0u, unsigned{kAllBiases}, unsigned{kUpBias}}) {
      const BlockCase block = random_block(d, h, biases);
      const std::vector<float> expected = pack(block, block.weights());
      for (const Layout& layout : all_layouts()) {
        const StoredWeights stored = store(block, layout);
        ASSERT_TRUE(same_bits(pack(block, stored.view), expected))
            << layout.name() << ", d_model " << d << ", d_ff " << h;
      }
    }
  }
}

// Packing is spread over threads by ranges of panels.
TEST(PackPanels, RangesOfPanelsAreIndependent) {
  const BlockCase block = random_block(70, 50);
  const BlockWeights resolved = resolve_weights(70, 50, block.weights());
  const PackedLayout layout = packed_layout(70, 50);
  const std::vector<float> expected = pack(block, block.weights());
  for (std::size_t panel = 0; panel < layout.gate_up_panels; ++panel) {
    std::vector<float> packed(layout.gate_up_floats(), canary());
    pack_gate_up(resolved, panel, panel + 1, packed.data());
    const std::size_t begin = panel * layout.gate_up_stride, end = begin + layout.gate_up_stride;
    ASSERT_TRUE(same_bits(&packed[begin], &expected[begin], layout.gate_up_stride));
    ASSERT_TRUE(all_canaries(packed.data(), begin));
    ASSERT_TRUE(all_canaries(packed.data() + end, packed.size() - end));
  }
}

TEST(PackRows, TilesAreBlockedBySixteenColumns) {
  for (std::size_t mr : {1, 2, 3, 7, 14}) {
    for (std::size_t width : {1, 5, 15, 16, 17, 32, 45}) {
      const std::size_t stride = width + 3, padded = (width + 15) / 16 * 16;
      std::vector<float> rows = random_floats((mr - 1) * stride + width, width);
      std::vector<float> tile(mr * padded, canary());
      pack_row_tile(rows.data(), stride, mr, width, tile.data());
      for (std::size_t i = 0; i < mr; ++i) {
        for (std::size_t q = 0; q < padded; ++q) {
          const float value = tile[q / 16 * mr * 16 + i * 16 + q % 16];
          const float expected = q < width ? rows[i * stride + q] : canary();  // past the width: left as it was
          ASSERT_EQ(bits_of(value), bits_of(expected))
              << "mr " << mr << ", width " << width << ", row " << i << ", column " << q;
        }
      }
    }
  }
}

}  // namespace
}  // namespace swiglu::testing
