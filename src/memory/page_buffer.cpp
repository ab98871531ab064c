#include "memory/page_buffer.hpp"

#include <sys/mman.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <utility>

#include "round_up.hpp"

namespace swiglu {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

void* map_huge(std::size_t bytes) {
  const std::size_t length = round_up(bytes, kHugePage);
  if (length < bytes || length + kHugePage < length) return nullptr;
  // Map one huge page more than needed, then give back what sticks out of the aligned range.
  char* raw =
      static_cast<char*>(mmap(nullptr, length + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (raw == MAP_FAILED) return nullptr;
  char* aligned = reinterpret_cast<char*>(round_up(reinterpret_cast<std::uintptr_t>(raw), kHugePage));
  if (aligned > raw) munmap(raw, static_cast<std::size_t>(aligned - raw));
  if (aligned < raw + kHugePage) munmap(aligned + length, static_cast<std::size_t>(raw + kHugePage - aligned));
  (void)madvise(aligned, length, MADV_HUGEPAGE);  // a wish: without THP the buffer works all the same
  return aligned;
}

}  // namespace

PageBuffer::PageBuffer(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  if (bytes >= kHugePage) {
    data_ = map_huge(bytes);
  } else {
    data_ = std::aligned_alloc(64, round_up(bytes, 64));
  }
  if (data_ == nullptr) throw std::bad_alloc();
}

PageBuffer::~PageBuffer() { release(data_, bytes_); }

PageBuffer::PageBuffer(PageBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

PageBuffer& PageBuffer::operator=(PageBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void* PageBuffer::detach() noexcept {
  bytes_ = 0;
  return std::exchange(data_, nullptr);
}

void PageBuffer::release(void* data, std::size_t bytes) noexcept {
  if (data == nullptr) return;
  if (bytes >= kHugePage) {
    munmap(data, round_up(bytes, kHugePage));
  } else {
    std::free(data);
  }
}

std::size_t PageBuffer::huge_bytes() const {
  if (bytes_ < kHugePage) return 0;
  const auto begin = reinterpret_cast<std::uintptr_t>(data_);
  const auto end = begin + bytes_;
  std::ifstream smaps("/proc/self/smaps");
  std::string line;
  std::uintptr_t from = 0, to = 0;
  std::size_t huge = 0;
  while (std::getline(smaps, line)) {
    std::uintptr_t lo = 0, hi = 0;
    std::size_t kib = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &lo, &hi) == 2) {
      from = lo;
      to = hi;
    } else if (from < end && to > begin && std::sscanf(line.c_str(), "AnonHugePages: %zu kB", &kib) == 1) {
      huge += kib << 10;  // neighbouring mappings may be merged into one entry: an upper bound, hence the min below
    }
  }
  return huge < bytes_ ? huge : bytes_;
}

}  // namespace swiglu
