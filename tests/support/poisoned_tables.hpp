#pragma once

// Replaces the functions of compiled kernel sets by ones that only count: whoever calls through a table is seen.

#include <atomic>
#include <cstddef>
#include <vector>

#include "kernels/kernel_set.hpp"

namespace swiglu::testing {

/// While it lives, every function of `sets` counts its calls and computes nothing. The tables are constants of the
/// library, on pages that are made writable for the purpose. One at a time; no other thread may use the sets.
class PoisonedTables {
 public:
  explicit PoisonedTables(const std::vector<const kernels::KernelSet*>& sets);
  ~PoisonedTables();
  PoisonedTables(const PoisonedTables&) = delete;
  PoisonedTables& operator=(const PoisonedTables&) = delete;

  static int tile_calls() { return tile_calls_; }
  static int elementwise_calls() { return elementwise_calls_; }

 private:
  struct Saved {
    kernels::KernelSet* set;
    kernels::KernelSet original;
  };
  static std::atomic<int> tile_calls_, elementwise_calls_;
  std::vector<Saved> saved_;
};

}  // namespace swiglu::testing
