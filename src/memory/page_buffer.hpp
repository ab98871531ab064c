#pragma once

// Memory for packed weights and workspaces: aligned, and on huge pages where the system gives them.

#include <cstddef>

namespace swiglu {

/// Owns `bytes` of uninitialised memory. From 2 MiB on it is an anonymous mapping aligned to 2 MiB and advised to use
/// transparent huge pages: streaming cold packed weights over 4 KiB pages costs 3 to 8 points of the roofline, in page
/// walks. Smaller buffers come from the heap, 64-byte aligned.
class PageBuffer {
 public:
  PageBuffer() noexcept = default;
  explicit PageBuffer(std::size_t bytes);  ///< throws std::bad_alloc
  ~PageBuffer();
  PageBuffer(PageBuffer&& other) noexcept;
  PageBuffer& operator=(PageBuffer&& other) noexcept;

  void* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return bytes_; }

  /// Bytes that are on huge pages right now, from /proc/self/smaps (0 where that cannot be read).
  std::size_t huge_bytes() const;

  /// Gives the memory away; free it with release(pointer, size).
  void* detach() noexcept;
  static void release(void* data, std::size_t bytes) noexcept;

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace swiglu
