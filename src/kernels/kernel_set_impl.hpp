// Builds the table of one kernel set. Included by exactly one kernels_<isa>.cpp each; everything is in an anonymous
// namespace, so that no inline copy compiled for this ISA can be picked by the linker for another (SIGILL).
//
// Adding an ISA: a file with a Config like those in kernels_*.cpp.
#pragma once

#include "kernels/functions.hpp"
#include "kernels/glu_loops.hpp"
#include "kernels/tall_tile.hpp"

namespace swiglu::kernels {
namespace {

// Panels straight into L1: `alone` rows ahead for one, `shared` for several together.
template <class Config>
constexpr Tuning streams_into_l1(std::size_t k_block, std::uint16_t alone, std::uint16_t shared) {
  Tuning t{k_block, 0, {}};
  for (int mr = 1; mr <= Config::kTileRows; ++mr) {
    const int panels = Config::panels_at_once(mr);
    t.streaming[mr] = {static_cast<std::uint8_t>(panels), panels > 1 ? shared : alone, alone, 0};
  }
  return t;
}

// Whether a tile of mr rows is ever run with TileArgs::prefetch_near; if not, its loops need not exist.
template <class Config>
constexpr bool fetches_near(int mr) {
  for (const CacheClass caches : {CacheClass::large_l1, CacheClass::small_l1}) {
    const Tuning t = Config::tuning(caches);
    if (t.near > 0 || t.streaming[mr].near > 0) return true;
  }
  return false;
}

// Config: Arch (an xsimd architecture), kTileRows, kTallRows, panels_at_once(mr), tuning(CacheClass).
template <class Config, template <class, int, int> class Epilogue, int MR = Config::kTileRows>
constexpr void fill(TileTable& table) {
  table.one[MR] = &tile<typename Config::Arch, fetches_near<Config>(MR), Epilogue, MR, 1>;
  if constexpr (Config::panels_at_once(MR) > 1) {
    table.many[MR] = &tile<typename Config::Arch, false, Epilogue, MR, Config::panels_at_once(MR)>;
  }
  if constexpr (MR > 1) fill<Config, Epilogue, MR - 1>(table);
  if constexpr (MR == Config::kTileRows && Config::kTallRows > 0) {
    table.one[Config::kTallRows] = &tall_tile<typename Config::Arch, Epilogue, Config::kTallRows>;
  }
}

template <class Arch, class Gate, class Up>
constexpr void set_glu(KernelSet& set, GluKind kind) {
  set.glu[static_cast<std::size_t>(kind)] = {&glu_loop<Arch, Gate, Up>, &glu_backward_loop<Arch, Gate, Up>};
}

template <class Arch>
constexpr void fill_glu(KernelSet& set) {
  set_glu<Arch, SiluGate, PlainUp>(set, GluKind::silu);
  set_glu<Arch, SwishGate, PlainUp>(set, GluKind::swish);
  set_glu<Arch, SwishGate, ClampedUp>(set, GluKind::swish_clamped);
  set_glu<Arch, GeluTanhGate, PlainUp>(set, GluKind::gelu_tanh);
  set_glu<Arch, GeluErfGate, PlainUp>(set, GluKind::gelu_erf);
  set_glu<Arch, SituGate, TanhUp>(set, GluKind::situ);
  set_glu<Arch, ReluGate, PlainUp>(set, GluKind::relu);
  set_glu<Arch, ReluSquaredGate, PlainUp>(set, GluKind::relu_squared);
  set_glu<Arch, SigmoidGate, PlainUp>(set, GluKind::sigmoid);
  set_glu<Arch, IdentityGate, PlainUp>(set, GluKind::identity);
}

template <class Arch, class F>
constexpr void set_function(KernelSet& set, Function f) {
  set.functions[static_cast<std::size_t>(f)] = &map_loop<Arch, F>;
}

template <class Arch>
constexpr void fill_functions(KernelSet& set) {
  set_function<Arch, GateFunction<SiluGate>>(set, Function::silu);
  set_function<Arch, SiluSlopeFunction>(set, Function::silu_slope);
  set_function<Arch, GateFunction<SigmoidGate>>(set, Function::sigmoid);
  set_function<Arch, TanhFunction>(set, Function::tanh);
  set_function<Arch, ExpFunction>(set, Function::exp);
  set_function<Arch, GateFunction<GeluTanhGate>>(set, Function::gelu_tanh);
  set_function<Arch, GateFunction<GeluErfGate>>(set, Function::gelu_erf);
  set_function<Arch, GeluQuickFunction>(set, Function::gelu_quick);
}

template <class Config>
constexpr KernelSet make_kernel_set(Isa isa) {
  static_assert(Config::kTileRows <= kMaxTileRows && Config::kTallRows <= kMaxTileRows);
  static_assert(Config::kTallRows == 0 || Config::kTallRows > Config::kTileRows);
  KernelSet set{};
  set.isa = isa;
  set.tile_rows = Config::kTileRows;
  set.tall_rows = Config::kTallRows;
  for (int mr = 1; mr <= Config::kTileRows; ++mr)
    set.panels[mr] = static_cast<std::uint8_t>(Config::panels_at_once(mr));
  for (const CacheClass caches : {CacheClass::large_l1, CacheClass::small_l1})
    set.tunings[static_cast<std::size_t>(caches)] = Config::tuning(caches);
  fill<Config, GateUpEpilogue>(set.gate_up);
  fill<Config, DownEpilogue>(set.down);
  fill_glu<typename Config::Arch>(set);
  fill_functions<typename Config::Arch>(set);
  return set;
}

}  // namespace
}  // namespace swiglu::kernels
