#pragma once

// The probes on compiler vectors of BYTES bytes; each probe_<isa>.cpp instantiates them with its own flags. Compiler
// vectors and not xsimd: a probe must not share a weakness with the kernels it is the yardstick for.

#include "probe.hpp"

namespace swiglu::bench {
namespace {

// Forces a value into a vector register at this point; without it a chain could be folded or kept on the stack.
#if defined(__aarch64__)
#define BENCH_IN_REGISTER(v) asm volatile("" : "+w"(v))
#elif defined(__x86_64__)
#define BENCH_IN_REGISTER(v) asm volatile("" : "+v"(v))
#else
#define BENCH_IN_REGISTER(v) asm volatile("" : "+m"(v))
#endif

template <int BYTES>
struct Vector {
  typedef float Type __attribute__((vector_size(BYTES)));
};

/// CHAINS ≥ latency × issue width of every CPU in question (≤ 5 cycles × 2, NEON 4 × 4), and few enough to leave two
/// registers for the constants.
template <int BYTES, int CHAINS>
struct ProbeImpl {
  using V = typename Vector<BYTES>::Type;
  static constexpr std::size_t kLanes = BYTES / sizeof(float);
  static constexpr std::size_t kInner = 64;
  static constexpr std::size_t kFlopsPerStep = kInner * CHAINS * kLanes * 2;

  static void multiply_add(std::size_t steps) {
    V acc[CHAINS];
    V scale = V{} + 0.999f;
    V offset = V{} + 1e-3f;
    BENCH_IN_REGISTER(scale);
    BENCH_IN_REGISTER(offset);
#pragma GCC unroll 32
    for (int c = 0; c < CHAINS; ++c) acc[c] = V{} + static_cast<float>(c);
    for (std::size_t s = 0; s < steps; ++s) {
      for (std::size_t i = 0; i < kInner; ++i) {
#pragma GCC unroll 32
        for (int c = 0; c < CHAINS; ++c) acc[c] = acc[c] * scale + offset;
      }
    }
#pragma GCC unroll 32
    for (int c = 0; c < CHAINS; ++c) BENCH_IN_REGISTER(acc[c]);
  }

  template <bool PREFETCH>
  static float read_streams(const float* p, std::size_t floats) {
    constexpr std::size_t kStreams = 4, kStep = 32;  // two cache lines of each stream per turn
    constexpr std::size_t kAhead = 1024;             // floats: 4 KiB, the order of a page's worth of latency
    const std::size_t length = floats / kStreams;
    V acc[kStreams * 2] = {};
    for (std::size_t i = 0; i < length; i += kStep) {
#pragma GCC unroll 4
      for (std::size_t s = 0; s < kStreams; ++s) {
        const float* q = p + s * length + i;
        if (PREFETCH) {
          __builtin_prefetch(q + kAhead, 0, 3);
          __builtin_prefetch(q + kAhead + 16, 0, 3);
        }
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kStep / kLanes; ++v) {
          acc[s * 2 + v % 2] += *reinterpret_cast<const V*>(q + v * kLanes);
        }
      }
    }
    V sum = {};
#pragma GCC unroll 8
    for (std::size_t s = 0; s < kStreams * 2; ++s) sum += acc[s];
    return sum[0];
  }

  static float read(const float* p, std::size_t floats, bool prefetch) {
    return prefetch ? read_streams<true>(p, floats) : read_streams<false>(p, floats);
  }

  static void read_write(const float* a, const float* b, float* out, std::size_t floats) {
    for (std::size_t i = 0; i < floats; i += 64) {
#pragma GCC unroll 16
      for (std::size_t v = 0; v < 64; v += kLanes) {
        V value = *reinterpret_cast<const V*>(a + i + v);
        if (b != nullptr) value += *reinterpret_cast<const V*>(b + i + v);
        *reinterpret_cast<V*>(out + i + v) = value;
      }
      asm volatile("" ::: "memory");  // keeps the compiler from recognising memcpy, whose stores may be non-temporal
    }
  }
};

template <int BYTES, int CHAINS>
constexpr Probe make_probe(Isa isa) {
  using P = ProbeImpl<BYTES, CHAINS>;
  return {isa, P::kFlopsPerStep, P::multiply_add, P::read, P::read_write};
}

}  // namespace
}  // namespace swiglu::bench
