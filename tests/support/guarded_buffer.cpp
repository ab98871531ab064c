#include "support/guarded_buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "support/bits.hpp"

namespace swiglu::testing {
namespace {

constexpr std::size_t kSlackFloats = 64;  // canaries before and after an array without a guard page

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

GuardedBuffer::GuardedBuffer(std::size_t max_floats, GuardSide side) : side_(side) {
  const std::size_t page = page_bytes();
  const std::size_t data =
      std::max<std::size_t>(1, ((max_floats + 2 * kSlackFloats) * sizeof(float) + page - 1) / page) * page;
  mapping_bytes_ = data + page;
  mapping_ = mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  char* base = static_cast<char*>(mapping_);
  char* guard = side == GuardSide::after ? base + data : base;
  accessible_ = reinterpret_cast<float*>(side == GuardSide::before ? base + page : base);
  if (side != GuardSide::none && mprotect(guard, page, PROT_NONE) != 0) {
    throw std::system_error(errno, std::generic_category(), "mprotect");
  }
}

GuardedBuffer::~GuardedBuffer() { munmap(mapping_, mapping_bytes_); }

std::size_t GuardedBuffer::accessible_floats() const { return (mapping_bytes_ - page_bytes()) / sizeof(float); }

float* GuardedBuffer::fit(std::size_t n) {
  if (n > accessible_floats()) throw std::logic_error("GuardedBuffer is too small");
  n_ = n;
  switch (side_) {
    case GuardSide::none:
      begin_ = accessible_ + kSlackFloats;
      break;
    case GuardSide::after:
      begin_ = accessible_ + accessible_floats() - n;
      break;
    case GuardSide::before:
      begin_ = accessible_;
      break;
  }
  std::fill(accessible_, accessible_ + accessible_floats(), canary());
  return begin_;
}

bool GuardedBuffer::outside_untouched() const {
  return all_canaries(accessible_, static_cast<std::size_t>(begin_ - accessible_)) &&
         all_canaries(begin_ + n_, accessible_floats() - n_ - static_cast<std::size_t>(begin_ - accessible_));
}

}  // namespace swiglu::testing
