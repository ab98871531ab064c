#pragma once

// How rows are cut. Equal pieces: 16 rows are 8 + 8, never 14 + 2 — a short tile streams the same panel for a fraction
// of the arithmetic (T = 16 went from 71 to 92 % of the roofline).

#include <cstddef>

namespace swiglu {

/// Pieces whose sizes differ by at most one, larger ones first.
class EqualPieces {
 public:
  /// `total` items in as few pieces as possible, none above `max`.
  EqualPieces(std::size_t total, std::size_t max) : EqualPieces(Count{(total + max - 1) / max}, total) {}

  /// `total` items in `count` pieces, count ≤ total.
  static EqualPieces of_count(std::size_t total, std::size_t count) { return EqualPieces(Count{count}, total); }

  std::size_t count() const { return count_; }
  std::size_t size(std::size_t i) const { return base_ + (i < larger_ ? 1 : 0); }
  std::size_t begin(std::size_t i) const { return i * base_ + (i < larger_ ? i : larger_); }

 private:
  struct Count {
    std::size_t value;
  };
  EqualPieces(Count count, std::size_t total)
      : count_(count.value), base_(count_ == 0 ? 0 : total / count_), larger_(count_ == 0 ? 0 : total % count_) {}

  std::size_t count_, base_, larger_;
};

}  // namespace swiglu
