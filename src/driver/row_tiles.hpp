#pragma once

// How rows are cut. Equal pieces: 16 rows are 8 + 8, never 14 + 2 — a short tile streams the same panel for a fraction
// of the arithmetic (T = 16 went from 71 to 92 % of the roofline).

#include <cstddef>

namespace swiglu {

/// `total` items in ⌈total / max⌉ pieces whose sizes differ by at most one, larger ones first.
class EqualPieces {
 public:
  EqualPieces(std::size_t total, std::size_t max)
      : count_((total + max - 1) / max),
        base_(count_ == 0 ? 0 : total / count_),
        larger_(count_ == 0 ? 0 : total % count_) {}

  std::size_t count() const { return count_; }
  std::size_t size(std::size_t i) const { return base_ + (i < larger_ ? 1 : 0); }
  std::size_t begin(std::size_t i) const { return i * base_ + (i < larger_ ? i : larger_); }

 private:
  std::size_t count_, base_, larger_;
};

}  // namespace swiglu
