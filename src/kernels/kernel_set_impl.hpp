// Builds the table of one kernel set. Included by exactly one kernels_<isa>.cpp each; everything is in an anonymous
// namespace, so that no inline copy compiled for this ISA can be picked by the linker for another (SIGILL).
//
// Adding an ISA: a file with a Config like those in kernels_*.cpp.
#pragma once

#include "kernels/elementwise_loops.hpp"
#include "kernels/epilogue.hpp"

namespace swiglu::kernels {
namespace {

// Config: Arch (an xsimd architecture), kTileRows, panels_at_once(mr), kKBlock, kPrefetchRows, kStreamsPrefetchRows.
template <class Config, template <class, int, int> class Epilogue, int MR = Config::kTileRows>
constexpr void fill(TileTable& table) {
  table.one[MR] = &tile<typename Config::Arch, Epilogue, MR, 1>;
  if constexpr (Config::panels_at_once(MR) > 1) {
    table.many[MR] = &tile<typename Config::Arch, Epilogue, MR, Config::panels_at_once(MR)>;
  }
  if constexpr (MR > 1) fill<Config, Epilogue, MR - 1>(table);
}

template <class Config>
constexpr KernelSet make_kernel_set(Isa isa) {
  static_assert(Config::kTileRows <= kMaxTileRows);
  static_assert(Config::kKBlock % kBlock == 0 && Config::kPrefetchRows % kBlock == 0);
  KernelSet set{};
  set.isa = isa;
  set.tile_rows = Config::kTileRows;
  for (int mr = 1; mr <= Config::kTileRows; ++mr)
    set.panels[mr] = static_cast<std::uint8_t>(Config::panels_at_once(mr));
  set.k_block = Config::kKBlock;
  set.prefetch_rows = Config::kPrefetchRows;
  set.streams_prefetch_rows = Config::kStreamsPrefetchRows;
  fill<Config, GateUpEpilogue>(set.gate_up);
  fill<Config, DownEpilogue>(set.down);
  set.silu = &silu_loop<typename Config::Arch>;
  set.silu_mul = &silu_mul_loop<typename Config::Arch>;
  return set;
}

}  // namespace
}  // namespace swiglu::kernels
