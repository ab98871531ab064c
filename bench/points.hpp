#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "implementations/implementation.hpp"
#include "swiglu/isa.h"

namespace swiglu::bench {

/// How a sweep gets d_ff from d_model and an alignment m.
enum class HiddenChoice {
  exact,     ///< the odd multiple of m nearest to 8·d/3: m is then the largest power of two that divides it
  round_up,  ///< LLaMA's rule; repeats points (4096: 10922 for m = 1 and 2)
  fixed,     ///< --hidden
};

struct Shape {
  std::size_t d = 0;
  std::size_t h = 0;
  std::size_t m = 0;            ///< alignment: the one asked for, else the largest power of two ≤ 256 that divides h
  std::string model = {};       ///< name in the model table, or empty
  std::string set = {};         ///< which part of a sweep (and which plot) it belongs to: sweep.cpp
  std::string activation = {};  ///< as parse_activation reads it; empty = swiglu
};

enum class Cache {
  wei,   ///< weights rotate over more than the last-level cache: what decoding a model sees
  none,  ///< one object again and again: the kernel's ceiling, never a decode speed
  all,   ///< x, y and scratch memory rotate with the weights
};

const char* to_string(Cache cache);
Cache parse_cache(const std::string& name);
HiddenChoice parse_hidden_choice(const std::string& name);

/// What all arms of one comparison have in common.
struct Point {
  Shape shape;
  std::size_t T = 1;
  std::size_t threads = 1;
  Isa isa = Isa::automatic;  ///< resolved, never automatic
  Cache cache = Cache::wei;
  std::vector<const Implementation*> impls = {};
};

/// d_ff of a sweep point; see HiddenChoice (exact or round_up).
std::size_t swept_hidden(HiddenChoice choice, std::size_t d, std::size_t m);

Shape fixed_shape(std::size_t d, std::size_t h, std::string model, std::string set);

/// The block that an implementation of `family` computes at a point: ffn2 has d_ff = 4·d_model.
Shape shape_of(const Shape& shape, Family family);

/// "ffn/d:4096/h:10880/m:128/T:1/impl:native/isa:avx512/dt:f32/thr:8/cache:wei"; with "/act:geglu_erf" behind m for
/// another activation than swiglu.
std::string row_name(const Point& point, const Implementation& impl);

/// "ffn" or "ffn2"
const char* to_string(Family family);

}  // namespace swiglu::bench
