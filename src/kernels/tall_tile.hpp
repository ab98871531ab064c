// A tile of more rows than 32 columns of accumulators have room for. Included by kernel_set_impl.hpp only.
#pragma once

#include "kernels/epilogue.hpp"

namespace swiglu::kernels {
namespace {

// KernelSet::tall_rows: two passes over the panel, 16 columns each. A line of the panel is 16 floats, so that each pass
// reads lines of its own.
template <class Arch, template <class, int, int> class Epilogue, int MR>
void tall_tile(const TileArgs& a) {
  using B = xsimd::batch<float, Arch>;
  constexpr std::size_t HALF = kPanelColumns / 2;
  alignas(64) float halves[2][MR * HALF];
  TileArgs pass = a;
  for (float* half : {halves[0], halves[1]}) {
    Accumulators<B, MR, 1, HALF> acc;
    accumulate</*NEAR=*/false>(acc, pass);
    a.last ? store_rows(acc, half, HALF) : store_rows(acc, pass.partial, kPanelColumns);
    pass.bias += HALF;
    pass.panel += HALF;
    pass.partial += HALF;
    if (pass.prefetch != nullptr) pass.prefetch += a.k * a.prefetch_step;
  }
  if (a.last) Epilogue<B, MR, 1>::apply(halves[0], halves[1], a);
}

}  // namespace
}  // namespace swiglu::kernels
