#pragma once

// How rows are cut. Equal pieces: 16 rows are 8 + 8, never 14 + 2 — a short tile streams the same panel for a fraction
// of the arithmetic (T = 16 went from 71 to 92 % of the roofline).

#include <algorithm>
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

/// The row tiles of one product: as many tall ones as leave whole tiles of `full` rows, then equal pieces of the rest.
/// 16 rows are 5 + 5 + 3 + 3 if full is 3 and tall is 5, and 3 + 3 + 3 + 3 + 2 + 2 if tall is 0 (there are none).
class RowTiles {
 public:
  RowTiles(std::size_t rows, std::size_t full, std::size_t tall)
      : tall_(tall), tall_count_(count_tall(rows, full, tall)), rest_(rows - tall_count_ * tall, full) {}

  std::size_t count() const { return tall_count_ + rest_.count(); }
  std::size_t size(std::size_t i) const { return i < tall_count_ ? tall_ : rest_.size(i - tall_count_); }
  std::size_t begin(std::size_t i) const {
    const std::size_t tall = std::min(i, tall_count_);
    return tall * tall_ + rest_.begin(i - tall);
  }

  /// Passes over the panel by the tiles before tile i (by all, if i is count()): a tall one makes two.
  std::size_t passes_before(std::size_t i) const { return i + std::min(i, tall_count_); }

 private:
  // Not for a lone tile: its panel comes from memory, and two passes of half a row each stream it badly (T = 4 of
  // 1024/2816 in one tall tile of 4 rows: 72 % of the roofline, as 2 + 2 rows 92).
  static std::size_t count_tall(std::size_t rows, std::size_t full, std::size_t tall) {
    if (tall == 0 || rows <= tall) return 0;
    for (std::size_t n = 0; n < full && n * tall <= rows; ++n)
      if ((rows - n * tall) % full == 0) return n;
    return 0;
  }

  std::size_t tall_, tall_count_;
  EqualPieces rest_;
};

}  // namespace swiglu
