#pragma once

// Buffers whose neighbouring page faults: a kernel that reads or writes one element too far dies at once, every time
// (hard cases S-02, S-04: spare capacity and luck hide such reads from sanitizers).

#include <cstddef>

namespace swiglu::testing {

/// `none` leaves the guard page out (emulators fault on legal masked loads, hard case S-05); writes outside still show.
enum class GuardSide { none, after, before };

/// An array of floats that ends (after) or begins (before) exactly at a page without access.
class GuardedBuffer {
 public:
  GuardedBuffer(std::size_t max_floats, GuardSide side);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  /// An array of exactly `n` ≤ max_floats floats against the guard page (none: 64-byte aligned). It and the accessible
  /// memory on its other side are filled with canaries, which are NaNs: old contents that leak into a result show.
  float* fit(std::size_t n);

  /// Whether the accessible memory outside the last fit() still holds the canaries.
  bool outside_untouched() const;

 private:
  std::size_t accessible_floats() const;

  void* mapping_ = nullptr;
  std::size_t mapping_bytes_ = 0;
  float* accessible_ = nullptr;
  float* begin_ = nullptr;
  std::size_t n_ = 0;
  GuardSide side_;
};

}  // namespace swiglu::testing
