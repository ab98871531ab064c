#pragma once

#include <cstddef>
#include <vector>

namespace swiglu::bench {

/// Gated feed-forward blocks of published models. To add one: a line in models.cpp.
struct Model {
  const char* name;
  std::size_t d_model;
  std::size_t d_ff;
};

const std::vector<Model>& models();

}  // namespace swiglu::bench
