#include "elementwise.hpp"

#include <algorithm>
#include <cmath>

#include "swiglu/elementwise.h"

namespace swiglu::bench {

std::string ElementwiseCase::name() const {
  return std::string("elementwise/op:") + (mul ? "silu_mul" : "silu") + "/n:" + std::to_string(n) +
         "/isa:" + swiglu::to_string(isa) + "/dt:f32/thr:1/level:" + level;
}

std::vector<ElementwiseCase> elementwise_cases(const std::vector<Isa>& isas, std::size_t llc_bytes) {
  struct Level {
    const char* name;
    std::size_t bytes;
  };
  const Level levels[] = {{"L1", 24 << 10}, {"L2", 512 << 10}, {"L3", llc_bytes / 4}, {"DRAM", 4 * llc_bytes}};
  std::vector<ElementwiseCase> cases;
  for (const Isa isa : isas) {
    for (const bool mul : {false, true}) {
      for (const Level& level : levels) cases.push_back({mul, level.bytes / (mul ? 12 : 8) / 64 * 64, isa, level.name});
    }
  }
  return cases;
}

ElementwiseArrays::ElementwiseArrays(const ElementwiseCase& which)
    : case_(which), gate_(which.n), up_(which.mul ? which.n : 0), out_(which.n) {
  for (std::size_t i = 0; i < gate_.size(); ++i) gate_[i] = static_cast<float>(i % 1601) * 0.01f - 8.0f;
  for (std::size_t i = 0; i < up_.size(); ++i) up_[i] = static_cast<float>(i % 1021) * 0.001f + 0.5f;
}

void ElementwiseArrays::call() {
  if (case_.mul) {
    silu_mul(gate_.data(), up_.data(), out_.data(), case_.n, case_.isa);
  } else {
    silu(gate_.data(), out_.data(), case_.n, case_.isa);
  }
}

double ElementwiseArrays::error() const {
  double worst = 0;
  for (std::size_t i = 0; i < case_.n; i += 61) {
    const double g = gate_[i];
    const double truth = g / (1 + std::exp(-g)) * (case_.mul ? up_[i] : 1.0f);
    const double error = std::fabs(out_[i] - truth) / (truth == 0 ? 1 : std::fabs(truth));
    worst = std::isfinite(error) ? std::max(worst, error) : INFINITY;
  }
  return worst;
}

}  // namespace swiglu::bench
