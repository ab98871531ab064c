#include <cstdlib>
#include <limits>
#include <new>
#include <utility>

#include "swiglu/feed_forward.h"

namespace swiglu {
namespace {

constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vector

}  // namespace

Workspace::Workspace() noexcept = default;

Workspace::Workspace(std::size_t bytes) {
  if (bytes == 0) return;
  if (bytes > std::numeric_limits<std::size_t>::max() - (kAlignment - 1)) throw std::bad_alloc();
  data_ = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (data_ == nullptr) throw std::bad_alloc();
  bytes_ = bytes;
}

Workspace::~Workspace() { std::free(data_); }

Workspace::Workspace(Workspace&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Workspace& Workspace::operator=(Workspace&& other) noexcept {
  Workspace moved(std::move(other));
  std::swap(data_, moved.data_);
  std::swap(bytes_, moved.bytes_);
  return *this;
}

}  // namespace swiglu
