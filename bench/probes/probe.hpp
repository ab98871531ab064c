#pragma once

// What one instruction set can do at most on this machine: the roofs that results are held against.

#include <cstddef>

#include "swiglu/isa.h"

namespace swiglu::bench {

struct Probe {
  Isa isa;
  std::size_t flops_per_step;

  /// Independent multiply-add chains, in registers only: steps · flops_per_step floating-point operations.
  void (*multiply_add)(std::size_t steps);

  /// Reads `floats` (a multiple of 256) from the 64-byte aligned p in four streams; returns a value that depends on
  /// all of them. `prefetch`: software prefetch ahead of each stream; which of the two is faster depends on the CPU.
  float (*read)(const float* p, std::size_t floats, bool prefetch);

  /// out = a (b null) or out = a + b: the least that silu and silu·mul must move. `floats` a multiple of 64.
  void (*read_write)(const float* a, const float* b, float* out, std::size_t floats);
};

// One per probes/probe_<isa>.cpp; only those that probes.cmake compiled (BENCH_HAVE_<ISA>) exist.
extern const Probe kProbe_portable;
extern const Probe kProbe_avx2;
extern const Probe kProbe_avx512;
extern const Probe kProbe_neon;

/// The probe for `isa`, or null if this build has none.
const Probe* find_probe(Isa isa);

}  // namespace swiglu::bench
