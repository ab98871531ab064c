#pragma once

// Deterministic data without libm and without <random>'s distributions: the same floats on every machine and library,
// which the hashes of contract C3 need.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace swiglu::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {  // SplitMix64 (Steele, Lea, Flood 2014)
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// 0 … n-1; n small against 2^64.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }

  /// Uniform in [-1, 1), a multiple of 2^-23.
  float uniform() { return static_cast<float>(uniform_units()) * 0x1p-23f; }

  /// Nearly normal, standard deviation `scale`: the sum of three uniforms has variance 1. (Summed as integers: exact,
  /// so the order in which a compiler evaluates the terms cannot matter.)
  float normal(float scale = 1.0f) {
    return static_cast<float>(uniform_units() + uniform_units() + uniform_units()) * 0x1p-23f * scale;
  }

 private:
  std::int64_t uniform_units() { return static_cast<std::int64_t>(bits() >> 40) - (1 << 23); }

  std::uint64_t state_;
};

inline std::vector<float> random_floats(std::size_t n, std::uint64_t seed, float scale = 1.0f) {
  Random random(seed);
  std::vector<float> v(n);
  for (float& f : v) f = random.normal(scale);
  return v;
}

}  // namespace swiglu::testing
