#pragma once

// Sizes that follow from a shape and a kernel set: row blocks, workspace. Never names an ISA.

#include <cstddef>

#include "kernels/kernel_set.hpp"
#include "packing/pack_panels.hpp"

namespace swiglu {

/// One packed block, as the driver sees it. The panels are owned elsewhere.
struct PackedBlock {
  const kernels::KernelSet* set = nullptr;
  const kernels::Tuning* tuning = nullptr;  // one of the set's
  kernels::Glu glu{};
  std::size_t d_model = 0;
  std::size_t d_ff = 0;
  PackedLayout layout;
  const float* gate_up = nullptr;
  const float* down = nullptr;
};

/// Rows worked off at a time. More rows than this are cut into equal row blocks, each streaming the weights once: at
/// 128 rows that stream needs 1/20 of the cycles it may hide under, and x stays near the core (4096/11008, one Zen 5
/// core, T = 256: one block of 256 rows 86–88 % of the roofline, two of 128 rows 92 %).
inline constexpr std::size_t kMaxBlockRows = 128;

/// Where things are in the workspace for T rows and `workers` workers, in floats from its 64-byte aligned start:
/// x tiles [rows · ⌈d_model⌉16] | hidden tiles [rows · ⌈d_ff⌉16] | partial sums [workers][rows · 32], where few rows
/// count as rows × panels at once. `rows` are those worked off at a time, min(T, kMaxBlockRows).
struct WorkspaceLayout {
  std::size_t x = 0;
  std::size_t hidden = 0;
  std::size_t partial = 0;
  std::size_t partial_stride = 0;
  std::size_t floats = 0;

  std::size_t bytes() const { return floats * sizeof(float) + 64; }  // + alignment of a caller's pointer
};
WorkspaceLayout workspace_layout(const PackedBlock& block, std::size_t T, std::size_t workers);

}  // namespace swiglu
