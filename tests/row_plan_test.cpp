// How the rows of a call are cut: nothing left out, nothing beyond the workspace, by rows only where it pays.

#include "driver/row_plan.hpp"

#include <gtest/gtest.h>
#include <swiglu/swiglu.h>

#include <algorithm>

#include "dispatch/kernel_sets.hpp"

namespace swiglu {
namespace {

struct Case {
  PackedBlock block;
  std::size_t T, workers;
};

template <class Check>
void for_every_case(std::size_t d_model, std::size_t d_ff, const Check& check) {
  for (const Isa isa : supported_isas()) {
    const kernels::KernelSet& set = kernel_set(isa);
    for (const kernels::Tuning& tuning : set.tunings) {
      PackedBlock block;
      block.set = &set;
      block.tuning = &tuning;
      block.d_model = d_model;
      block.d_ff = d_ff;
      for (const std::size_t workers : {1, 2, 3, 4, 5, 8, 64, 4096}) {
        for (std::size_t T = 1; T < 700; ++T) check(Case{block, T, workers});
        for (const std::size_t T : {std::size_t{4096}, std::size_t{1000003}}) check(Case{block, T, workers});
      }
    }
  }
}

TEST(RowPlan, EveryRowIsInOnePiece) {
  for_every_case(576, 1536, [](const Case& c) {
    const EqualPieces pieces = plan_rows(c.block, c.T, c.workers).pieces;
    std::size_t row = 0;
    for (std::size_t i = 0; i < pieces.count(); ++i) {
      ASSERT_EQ(pieces.begin(i), row) << "T " << c.T << ", " << c.workers << " workers";
      ASSERT_GT(pieces.size(i), 0u) << "T " << c.T << ", " << c.workers << " workers";
      row += pieces.size(i);
    }
    ASSERT_EQ(row, c.T) << c.workers << " workers";
  });
}

// All pieces that are worked off at a time have room where the workspace has it for that many rows.
TEST(RowPlan, PiecesFitIntoTheWorkspace) {
  for_every_case(576, 1536, [](const Case& c) {
    const RowPlan plan = plan_rows(c.block, c.T, c.workers);
    const std::size_t at_once = (plan.row_parallel ? c.workers : 1) * plan.pieces.size(0);
    ASSERT_LE(at_once, std::min(c.T, kMaxBlockRows)) << "T " << c.T << ", " << c.workers << " workers";
  });
}

// As many pieces for every worker, none with too few rows for a stream of weights of its own.
TEST(RowPlan, RowParallelOnlyWithRowsEnoughForEveryWorker) {
  std::size_t row_parallel = 0, panel_parallel = 0;
  for_every_case(576, 1536, [&](const Case& c) {
    const RowPlan plan = plan_rows(c.block, c.T, c.workers);
    plan.row_parallel ? ++row_parallel : ++panel_parallel;
    if (!plan.row_parallel) return;
    ASSERT_GT(c.workers, 1u);
    ASSERT_GE(plan.pieces.count(), 4 * c.workers) << "static slices: T " << c.T;
    ASSERT_EQ(plan.pieces.count() % c.workers, 0u) << "T " << c.T << ", " << c.workers << " workers";
    ASSERT_GE(plan.pieces.size(plan.pieces.count() - 1), c.workers * c.block.tuning->row_parallel_rows)
        << "T " << c.T << ", " << c.workers << " workers";
  });
  EXPECT_GT(row_parallel, 1000u);
  EXPECT_GT(panel_parallel, 1000u);
}

// Two workers take rows from a number of them on, whatever T beyond it: no T is slower than its neighbours.
TEST(RowPlan, TwoWorkersTakeRowsAtEveryTFromOneOn) {
  for_every_case(576, 1536, [](const Case& c) {
    const std::size_t row_parallel_rows = c.block.tuning->row_parallel_rows;
    if (c.workers != 2 || c.T < 16 * row_parallel_rows) return;
    ASSERT_TRUE(plan_rows(c.block, c.T, 2).row_parallel) << "T " << c.T;
  });
}

TEST(RowPlan, TinyBlocksWakeNobody) {
  for_every_case(4, 8, [](const Case& c) {
    ASSERT_FALSE(plan_rows(c.block, c.T, c.workers).row_parallel) << "T " << c.T << ", " << c.workers << " workers";
  });
}

}  // namespace
}  // namespace swiglu
