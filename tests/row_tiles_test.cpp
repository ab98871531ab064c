// How rows are cut into pieces and tiles.

#include "driver/row_tiles.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace swiglu::testing {
namespace {

template <class Pieces>
std::vector<std::size_t> sizes(const Pieces& pieces) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < pieces.count(); ++i) all.push_back(pieces.size(i));
  return all;
}

using Sizes = std::vector<std::size_t>;

TEST(EqualPieces, DifferByOneAtMost) {
  EXPECT_EQ(sizes(EqualPieces(16, 14)), (Sizes{8, 8}));
  EXPECT_EQ(sizes(EqualPieces(17, 14)), (Sizes{9, 8}));
  EXPECT_EQ(sizes(EqualPieces(0, 14)), Sizes{});
}

TEST(RowTiles, WithoutTallOnesAreEqualPieces) {
  for (std::size_t rows = 0; rows <= 40; ++rows) {
    EXPECT_EQ(sizes(RowTiles(rows, 3, 0)), sizes(EqualPieces(rows, 3))) << rows;
  }
}

TEST(RowTiles, TallOnesLeaveWholeTiles) {
  EXPECT_EQ(sizes(RowTiles(7, 3, 5)), (Sizes{3, 2, 2}));  // cannot be made of 3s and 5s
  EXPECT_EQ(sizes(RowTiles(8, 3, 5)), (Sizes{5, 3}));
  EXPECT_EQ(sizes(RowTiles(9, 3, 5)), (Sizes{3, 3, 3}));
  EXPECT_EQ(sizes(RowTiles(10, 3, 5)), (Sizes{5, 5}));
  EXPECT_EQ(sizes(RowTiles(16, 3, 5)), (Sizes{5, 5, 3, 3}));
  for (std::size_t rows = 8; rows <= 128; ++rows) {
    for (const std::size_t size : sizes(RowTiles(rows, 3, 5))) EXPECT_TRUE(size == 3 || size == 5) << rows;
  }
}

// Two passes over a panel that comes from memory are slow.
TEST(RowTiles, ATallOneIsNeverAlone) {
  EXPECT_EQ(sizes(RowTiles(5, 3, 5)), (Sizes{3, 2}));
  for (std::size_t full = 1; full <= 4; ++full) {
    for (std::size_t rows = 1; rows <= 40; ++rows) {
      const RowTiles tiles(rows, full, 5);
      EXPECT_TRUE(tiles.count() > 1 || tiles.size(0) <= full) << rows << " rows, full " << full;
    }
  }
}

TEST(RowTiles, FollowEachOther) {
  for (std::size_t rows = 1; rows <= 128; ++rows) {
    const RowTiles tiles(rows, 3, 5);
    std::size_t row = 0, passes = 0;
    for (std::size_t t = 0; t < tiles.count(); ++t) {
      EXPECT_EQ(tiles.begin(t), row) << rows;
      EXPECT_EQ(tiles.passes_before(t), passes) << rows;
      row += tiles.size(t);
      passes += tiles.size(t) == 5 ? 2 : 1;
    }
    EXPECT_EQ(row, rows);
    EXPECT_EQ(tiles.passes_before(tiles.count()), passes);
  }
}

}  // namespace
}  // namespace swiglu::testing
