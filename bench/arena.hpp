#pragma once

#include <cstddef>

namespace swiglu::bench {

/// One region for the bandwidth probes: mapped once with huge pages advised, and fully written with finite, normal
/// values. Pages that were never written are not memory yet (the kernel may map one shared zero page for all of them),
/// and reading them measures something else.
class Arena {
 public:
  enum class Fill { written, untouched };  ///< untouched only for the self-check

  explicit Arena(std::size_t bytes, Fill fill = Fill::written);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  float* data() const { return data_; }
  std::size_t floats() const { return bytes_ / sizeof(float); }
  std::size_t bytes() const { return bytes_; }

  /// Whether a sample of the values, one in each 64 KiB, is what filling wrote.
  bool is_written() const;

 private:
  float* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace swiglu::bench
