#include <utility>

#include "memory/page_buffer.hpp"
#include "swiglu/feed_forward.h"

namespace swiglu {

Workspace::Workspace() noexcept = default;

Workspace::Workspace(std::size_t bytes) {
  if (bytes == 0) return;
  data_ = PageBuffer(bytes).detach();
  bytes_ = bytes;
}

Workspace::~Workspace() { PageBuffer::release(data_, bytes_); }

Workspace::Workspace(Workspace&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Workspace& Workspace::operator=(Workspace&& other) noexcept {
  Workspace moved(std::move(other));
  std::swap(data_, moved.data_);
  std::swap(bytes_, moved.bytes_);
  return *this;
}

}  // namespace swiglu
