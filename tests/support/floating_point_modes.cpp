#include "support/floating_point_modes.hpp"

namespace swiglu::testing {
namespace {

#if defined(__x86_64__)

constexpr std::uint64_t kFlags = 0x3f, kDefault = 0x1f80, kTraps = 0, kFlushToZero = 0x8040;
constexpr std::uint64_t kDown = 0x2000, kUp = 0x4000, kTowardsZero = 0x6000;

std::uint64_t read() {
  std::uint32_t value;
  asm volatile("stmxcsr %0" : "=m"(value) : : "memory");
  return value;
}
void write(std::uint64_t control) {
  const auto value = static_cast<std::uint32_t>(control);
  asm volatile("ldmxcsr %0" : : "m"(value) : "memory");
}

#elif defined(__aarch64__)

constexpr std::uint64_t kFlags = 0, kDefault = 0, kTraps = 0x9f00, kFlushToZero = 1u << 24;
constexpr std::uint64_t kUp = 1u << 22, kDown = 2u << 22, kTowardsZero = 3u << 22;

std::uint64_t read() {
  std::uint64_t value;
  asm volatile("mrs %0, fpcr" : "=r"(value) : : "memory");
  return value;
}
void write(std::uint64_t control) { asm volatile("msr fpcr, %0" : : "r"(control) : "memory"); }

#endif

}  // namespace

std::vector<FloatingPointMode> floating_point_modes() {
  return {{"default", kDefault, false},
          {"flush to zero", kDefault | kFlushToZero, false},
          {"rounding down", kDefault | kDown, false},
          {"rounding up", kDefault | kUp, false},
          {"rounding towards zero", kDefault | kTowardsZero, false},
          {"flush to zero, rounding up", kDefault | kFlushToZero | kUp, false},
          {"exceptions unmasked", kTraps, true},
          {"exceptions unmasked, flush to zero, rounding up", kTraps | kFlushToZero | kUp, true}};
}

std::vector<FloatingPointMode> available_floating_point_modes() {
  std::vector<FloatingPointMode> available;
  for (const FloatingPointMode& mode : floating_point_modes()) {
    bool taken = false;
    {
      const InMode set(mode);
      taken = set.unchanged();
    }
    if (taken) available.push_back(mode);
  }
  return available;
}

std::uint64_t floating_point_control() { return read() & ~kFlags; }

InMode::InMode(const FloatingPointMode& mode) : before_(read()), control_(mode.control) { write(mode.control); }
InMode::~InMode() { write(before_); }

}  // namespace swiglu::testing
