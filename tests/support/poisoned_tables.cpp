#include "support/poisoned_tables.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace swiglu::testing {

std::atomic<int> PoisonedTables::tile_calls_{0};
std::atomic<int> PoisonedTables::elementwise_calls_{0};

namespace {

void make_writable(const kernels::KernelSet* set) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(set) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(set + 1);
  if (mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE) != 0) {
    throw std::system_error(errno, std::generic_category(), "mprotect of a kernel table");
  }
}

}  // namespace

PoisonedTables::PoisonedTables(const std::vector<const kernels::KernelSet*>& sets) {
  tile_calls_ = elementwise_calls_ = 0;
  const kernels::TileFn tile = [](const kernels::TileArgs&) { ++tile_calls_; };
  for (const kernels::KernelSet* set : sets) {
    make_writable(set);
    auto* writable = const_cast<kernels::KernelSet*>(set);
    saved_.push_back({writable, *set});
    for (kernels::TileTable* table : {&writable->gate_up, &writable->down}) {
      for (std::size_t mr = 1; mr <= kernels::kMaxTileRows; ++mr) {
        if (table->one[mr] != nullptr) table->one[mr] = tile;
        if (table->many[mr] != nullptr) table->many[mr] = tile;
      }
    }
    for (kernels::MapFn& function : writable->functions) {
      function = [](const float*, float*, std::size_t) { ++elementwise_calls_; };
    }
    for (kernels::GluKernel& glu : writable->glu) {
      glu.forward = [](const float*, const float*, float*, std::size_t, const kernels::GluParameters&) {
        ++elementwise_calls_;
      };
      glu.backward = [](const float*, const float*, const float*, float*, float*, std::size_t,
                        const kernels::GluParameters&) { ++elementwise_calls_; };
    }
  }
}

PoisonedTables::~PoisonedTables() {
  for (const Saved& saved : saved_) *saved.set = saved.original;  // the pages stay writable: harmless in a test
}

}  // namespace swiglu::testing
