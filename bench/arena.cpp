#include "arena.hpp"

#include <sys/mman.h>

#include <new>

namespace swiglu::bench {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

float value_at(std::size_t i) { return 0.5f + static_cast<float>(i % 1021) * 1e-3f; }

}  // namespace

Arena::Arena(std::size_t bytes, Fill fill) : bytes_((bytes + kHugePage - 1) / kHugePage * kHugePage) {
  void* region = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (region == MAP_FAILED) throw std::bad_alloc();
  madvise(region, bytes_, MADV_HUGEPAGE);  // refused = 4 KiB pages, which the page mode in the results then shows
  data_ = static_cast<float*>(region);
  if (fill == Fill::written) {
    for (std::size_t i = 0; i < floats(); ++i) data_[i] = value_at(i);
  }
}

Arena::~Arena() { munmap(data_, bytes_); }

bool Arena::is_written() const {
  for (std::size_t i = 0; i < floats(); i += 16384) {
    if (data_[i] != value_at(i)) return false;
  }
  return true;
}

}  // namespace swiglu::bench
