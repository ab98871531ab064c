// The order in which the driver runs the tile functions, and what it has them prefetch. The functions here only record
// their arguments: nothing else but a benchmark would notice a prefetch that goes astray.

#include "driver/panel_sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "dispatch/kernel_sets.hpp"
#include "round_up.hpp"
#include "support/isa_param.hpp"

namespace swiglu::testing {
namespace {

using kernels::kBlock;
using kernels::kMaxTileRows;
using kernels::kPanelColumns;

constexpr long kColumns = kPanelColumns;
constexpr long kLineFloats = 16;

struct Call {
  kernels::TileArgs args;
  std::size_t rows;
  bool many;
};

std::vector<Call>& recorded() {
  static std::vector<Call> calls;
  return calls;
}

template <std::size_t ROWS, bool MANY>
void record(const kernels::TileArgs& args) {
  recorded().push_back({args, ROWS, MANY});
}

template <std::size_t... ROWS>
kernels::TileTable recording_table(std::index_sequence<ROWS...>) {
  kernels::TileTable table{};
  ((table.one[ROWS + 1] = &record<ROWS + 1, false>, table.many[ROWS + 1] = &record<ROWS + 1, true>), ...);
  return table;
}

// Arguments of sweep_panels(), for a matrix of kPanels panels.
struct Chunk {
  long first, last, after;
};
constexpr long kPanels = 12;
constexpr Chunk kChunks[] = {
    {0, 12, 12}, {3, 12, 12}, {11, 12, 12},  // nothing comes after it
    {0, 1, 1},   {0, 7, 7},   {2, 10, 10},   // the panel that follows
    {0, 1, 5},   {0, 7, 9},   {2, 10, 11},   // one elsewhere
};
constexpr long kMaxDepth = 1200;
constexpr long kDepths[] = {1, 16, 17, 40, 100, 192, 300, 577, kMaxDepth};

// One run of sweep_panels(). Rows and lines of the packed panels are counted from the biases of panel 0; a panel has
// row 0 (biases) and rows 1..k.
struct Sweep {
  const kernels::KernelSet& set;
  const kernels::Tuning& tuning;
  RowTiles tiles;
  long k;
  Chunk chunk;
  const float* panels = nullptr;
  const float* x = nullptr;
  std::vector<Call> calls = {};

  long panel(const Call& c) const { return (c.args.bias - panels) / panel_floats(); }
  long k0(const Call& c) const { return (c.args.panel - c.args.bias) / kColumns - 1; }
  long k_of(const Call& c) const { return static_cast<long>(c.args.k); }
  long panels_of(const Call& c) const { return c.many ? set.panels[c.rows] : 1; }
  long panel_floats() const { return (1 + k) * kColumns; }
  long biases(long panel) const { return panel * (1 + k); }

  // One tile: how, how many rows of k ahead, and the panel that is worked on next.
  const kernels::Streaming& streaming() const { return tuning.streaming[tiles.size(0)]; }
  long ahead(const Call& c) const {
    const kernels::Streaming& how = streaming();
    return panels_of(c) == how.panels ? how.ahead / how.panels : how.ahead_alone;
  }
  long next(const Call& c) const {
    const long following = panel(c) + panels_of(c);
    return following < chunk.last ? following : chunk.after;
  }

  // The float whose line panel n of the call prefetches on row q of it, as Prefetcher in tile.hpp does.
  long fetched(const Call& c, long q, long n) const {
    return c.args.prefetch - panels + q * static_cast<long>(c.args.prefetch_step) + n * panel_floats();
  }
};

class PanelSweep : public IsaTest {
 protected:
  void SetUp() override {
    IsaTest::SetUp();
    if (!can_run(GetParam())) return;
    set_ = &kernel_set(GetParam());
    x_.resize(rows_of(43) * kMaxDepth);
  }

  // Both tunings × every depth × every chunk, for so many rows of x.
  template <class Check>
  void for_every_sweep(std::size_t rows, Check check) {
    const kernels::TileTable table = recording_table(std::make_index_sequence<kMaxTileRows>());
    for (const kernels::Tuning& tuning : set_->tunings) {
      for (const long k : kDepths) {
        for (const Chunk& chunk : kChunks) {
          SCOPED_TRACE(::testing::Message()
                       << "tuning " << &tuning - set_->tunings << ", " << rows << " rows, k " << k << ", panels "
                       << chunk.first << " to " << chunk.last << ", then " << chunk.after);
          PanelProduct product;
          product.tuning = &tuning;
          product.table = &table;
          product.panels = panels_.data();
          product.panel_stride = (1 + k) * kPanelColumns;
          product.k = k;
          product.x = x_.data();
          product.x_width = round_up(k, kBlock);
          product.tiles = RowTiles(rows, set_->tile_rows, set_->tall_rows);
          product.out = unused_;
          recorded().clear();
          sweep_panels(product, chunk.first, chunk.last, chunk.after, unused_);
          Sweep sweep{*set_, tuning, product.tiles, k, chunk, product.panels, product.x};
          sweep.calls = recorded();
          check(sweep);
          if (HasFailure()) return;  // the rest would only say the same
        }
      }
    }
  }

  // As many rows as make so many tiles, not all of the same height if tiles can have several rows.
  std::size_t rows_of(std::size_t tiles) const { return (tiles - 1) * set_->tile_rows + 1; }

  const kernels::KernelSet* set_ = nullptr;
  const std::vector<float> panels_ = std::vector<float>(kPanels * (1 + kMaxDepth) * kColumns);
  std::vector<float> x_;
  float unused_[1] = {};
};

constexpr std::size_t kTileCounts[] = {2, 3, 9, 43};  // 43: 128 rows on avx2 and neon

void expect_every_product_once(const Sweep& s) {
  // [panel][tile] → columns of x that are done
  std::vector<std::vector<long>> done(kPanels, std::vector<long>(s.tiles.count(), 0));
  for (const Call& c : s.calls) {
    const long first = s.panel(c);
    const long k0 = s.k0(c);
    std::size_t t = s.tiles.count() - 1;
    const auto start = [&](std::size_t tile) { return s.x + s.tiles.begin(tile) * round_up(s.k, kBlock); };
    while (t > 0 && c.args.x < start(t)) --t;
    ASSERT_EQ(c.rows, s.tiles.size(t));
    ASSERT_EQ(c.args.x, start(t) + k0 * static_cast<long>(c.rows));
    ASSERT_EQ(c.args.bias, s.panels + first * s.panel_floats());
    ASSERT_EQ(c.args.panel, c.args.bias + (1 + k0) * kColumns);
    ASSERT_EQ(c.args.panel_stride, static_cast<std::size_t>(s.panel_floats()));
    ASSERT_EQ(c.args.first, k0 == 0);
    ASSERT_EQ(c.args.last, k0 + s.k_of(c) == s.k);
    ASSERT_TRUE(c.args.last || c.args.k % kBlock == 0) << c.args.k;
    for (long p = first; p < first + s.panels_of(c); ++p) {
      ASSERT_GE(p, s.chunk.first);
      ASSERT_LT(p, s.chunk.last);
      ASSERT_EQ(done[p][t], k0) << "panel " << p << ", tile " << t;
      done[p][t] += s.k_of(c);
    }
  }
  for (long p = s.chunk.first; p < s.chunk.last; ++p) {
    for (const long columns : done[p]) ASSERT_EQ(columns, s.k) << "panel " << p;
  }
}

TEST_P(PanelSweep, ComputesEveryProductOnce) {
  for (std::size_t rows = 1; rows <= set_->tile_rows; ++rows) for_every_sweep(rows, expect_every_product_once);
  for (const std::size_t tiles : kTileCounts) for_every_sweep(rows_of(tiles), expect_every_product_once);
}

// Several tiles: a block of k for every tile, then the next block.
void expect_tiles_fetch_the_next_block(const Sweep& s) {
  const std::size_t tiles = s.tiles.count();
  const auto row_of = [&](const float* p) { return (p - s.panels) / kColumns; };
  long first_k = 0;
  for (std::size_t i = 0; i < s.calls.size(); i += tiles) {
    const kernels::TileArgs& block = s.calls[i].args;
    const long k = s.k_of(s.calls[i]);
    if (block.first) first_k = k;
    ASSERT_LE(block.k, s.tuning.k_block);
    ASSERT_GT(k + 2 * static_cast<long>(kBlock), first_k) << "a short block starves the prefetch";

    const bool ends = i + tiles == s.calls.size();
    const Call* next = ends ? nullptr : &s.calls[i + tiles];
    const long coming = ends ? s.biases(s.chunk.after) : row_of(next->args.first ? next->args.bias : next->args.panel);
    // The next block may be shorter, and where nothing comes, nothing need be fetched.
    const long needed =
        ends ? (s.chunk.after < kPanels ? k : 0) : std::min(k, s.k_of(*next) + (next->args.first ? 1 : 0));
    // prefetch_step is rounded up: less than one float per row of k too far.
    const long allowed = ((kPanelColumns + 1) * k - 1) / kLineFloats + 1;
    std::vector<bool> fetched(allowed, false);
    for (std::size_t t = 0; t < tiles; ++t) {
      const Call& c = s.calls[i + t];
      ASSERT_EQ(c.args.panel, block.panel);
      ASSERT_EQ(c.args.k, block.k);
      ASSERT_NE(c.args.prefetch, nullptr);
      ASSERT_LT(c.args.prefetch_step, kPanelColumns);  // Fetch::shared: one line per row of k
      ASSERT_EQ(c.args.prefetch_near, s.tuning.near * kPanelColumns);
      const long passes = static_cast<long>(s.tiles.passes_before(t + 1) - s.tiles.passes_before(t));
      for (long q = 0; q < passes * k; ++q) {
        const long ahead = s.fetched(c, q, 0) - coming * kColumns;
        ASSERT_GE(ahead, 0) << "tile " << t;
        ASSERT_LT(ahead / kLineFloats, allowed) << "tile " << t;
        fetched[ahead / kLineFloats] = true;
      }
    }
    for (long line = 0; line < needed * (kColumns / kLineFloats); ++line) {
      ASSERT_TRUE(fetched[line]) << "line " << line << " of " << needed * (kColumns / kLineFloats) << " after panel "
                                 << s.panel(s.calls[i]) << ", k0 " << s.k0(s.calls[i]);
    }
  }
}

TEST_P(PanelSweep, TilesTogetherFetchTheBlockThatComesNext) {
  for (const std::size_t tiles : kTileCounts) for_every_sweep(rows_of(tiles), expect_tiles_fetch_the_next_block);
}

TEST_P(PanelSweep, NextXIsTheTileThatIsRunNext) {
  for (const std::size_t tiles : kTileCounts) {
    for_every_sweep(rows_of(tiles), [](const Sweep& s) {
      for (std::size_t i = 0; i + 1 < s.calls.size(); ++i)
        ASSERT_EQ(s.calls[i].args.next_x, s.calls[i + 1].args.x) << i;
      ASSERT_EQ(s.calls.back().args.next_x, s.calls.front().args.x);  // the next chunk
    });
  }
}

// One tile: every row of k fetches the row that comes a fixed number of rows later, of each panel that is worked on.
void expect_fixed_distance(const Sweep& s) {
  for (const Call& c : s.calls) {
    const long p = s.panel(c), ahead = s.ahead(c), next = s.next(c);
    ASSERT_EQ(s.panels_of(c), s.chunk.last - p >= s.streaming().panels ? s.streaming().panels : 1);
    if (ahead == 0) {
      ASSERT_EQ(c.args.prefetch, nullptr);
      continue;
    }
    ASSERT_NE(c.args.prefetch, nullptr);
    ASSERT_EQ(c.args.prefetch_step, kPanelColumns);  // Fetch::alone or far: a whole row of every panel
    ASSERT_EQ(c.args.prefetch_near, s.streaming().near * kPanelColumns);
    ASSERT_EQ((c.args.prefetch - s.panels) % kColumns, 0);
    for (long q = s.k0(c); q < s.k0(c) + s.k_of(c); ++q) {
      for (long n = 0; n < s.panels_of(c); ++n) {
        const auto here = [&] { return ::testing::Message() << "panel " << p + n << ", row " << 1 + q; };
        const long row = s.fetched(c, q - s.k0(c), n) / kColumns - s.biases(p + n);
        if ((0 <= row && row <= s.k) || next == p + 1) {
          ASSERT_EQ(row, 1 + q + ahead) << here();
        } else {  // in panel n of those that are worked on next, wherever they are
          const long head = row + s.biases(p + n) - s.biases(next + n);
          const long rows_until_needed = s.k - q + head;
          ASSERT_GE(head, 0) << here();
          ASSERT_GE(rows_until_needed, std::min(ahead, s.k)) << here();
          ASSERT_LT(rows_until_needed, ahead + static_cast<long>(kBlock)) << here();
        }
      }
    }
  }
}

TEST_P(PanelSweep, OneTileFetchesAFixedDistanceAhead) {
  for (std::size_t rows = 1; rows <= set_->tile_rows; ++rows) for_every_sweep(rows, expect_fixed_distance);
}

// What a stream leaves out, all of it on purpose:
// - Its first `ahead` rows. It begins with the sweep, and anew where single panels are left over after several at once,
//   for they run further ahead; of those the rows that several would have needed have been fetched.
// - One row per panel, which has 1 + k of them for the k steps of the prefetch.
// - Up to 15 rows at the end of a panel that the following one is not next to: tiles are cut only at whole blocks.
void expect_every_row_fetched_in_time(const Sweep& s) {
  std::vector<bool> fetched((kPanels + kMaxTileRows) * (1 + s.k) + 1000, false);
  long stream_begin = s.chunk.first, fetched_before = 0, worked = 0, at_once_before = 1;
  for (const Call& c : s.calls) {
    const long p = s.panel(c), at_once = s.panels_of(c), ahead = s.ahead(c), next = s.next(c);
    if (ahead == 0) continue;
    if (at_once < at_once_before) {
      stream_begin = p;
      fetched_before = std::min<long>(s.streaming().ahead / s.streaming().panels, s.k);
      worked = 0;
    }
    at_once_before = at_once;
    const bool goes_on = next == p + 1;
    const long left_out = at_once == 1 ? ahead % (1 + s.k) : std::min(ahead, s.k);
    const long last_rows = goes_on || s.k <= ahead ? 0 : (s.k - ahead) % static_cast<long>(kBlock);
    const auto may_stay_out = [&](long row) {
      const bool is_new = worked < ahead && !(p == stream_begin && row < fetched_before);
      return is_new || row == left_out || row > s.k - last_rows;
    };
    for (long q = s.k0(c); q < s.k0(c) + s.k_of(c); ++q, ++worked) {
      for (long n = 0; n < at_once; ++n) {
        for (long row = q == 0 ? 0 : 1 + q; row <= 1 + q; ++row) {  // the biases are used with row 1
          ASSERT_TRUE(fetched[s.biases(p + n) + row] || may_stay_out(row)) << "panel " << p + n << ", row " << row;
        }
        fetched.at(s.fetched(c, q - s.k0(c), n) / kColumns) = true;
      }
    }
    if (p + at_once < s.chunk.last || !c.args.last) continue;
    for (long panel = next; panel < std::min(next + at_once, kPanels); ++panel) {  // the head of the next chunk
      for (long row = 0; row < std::min(ahead, s.k); ++row) {
        const bool is_new = goes_on && worked + row <= ahead;
        ASSERT_TRUE(fetched[s.biases(panel) + row] || is_new || row == left_out)
            << "panel " << panel << ", row " << row;
      }
    }
  }
}

TEST_P(PanelSweep, OneTileFetchesEveryRowInTime) {
  for (std::size_t rows = 1; rows <= set_->tile_rows; ++rows) for_every_sweep(rows, expect_every_row_fetched_in_time);
}

SWIGLU_FOR_EVERY_ISA(PanelSweep);

}  // namespace
}  // namespace swiglu::testing
