#pragma once

// One row block from x to y: packing, gate-up, down.

#include <cstddef>

#include "backend.hpp"
#include "driver/plan.hpp"

namespace swiglu {

/// Memory for one row block, in the caller's workspace, 64-byte aligned.
struct Scratch {
  float* x;       // row tiles
  float* hidden;  // row tiles
  float* partial;
  std::size_t partial_stride;  // floats from one worker's to the next
};

/// Rows row … row + rows - 1 of the call, on at most `workers` tasks of the executor (null if one).
void run_row_block(const PackedBlock& block, const ForwardCall& call, std::size_t row, std::size_t rows,
                   const Scratch& scratch, Executor* executor, std::size_t workers);

}  // namespace swiglu
