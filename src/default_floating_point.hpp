#pragma once

#include <cstdint>

namespace swiglu {

/// While alive, its thread computes in the mode that all promises on bits and accuracy are made for: round to nearest,
/// subnormals kept, exceptions masked. Then the host's mode is back. It stands where the arithmetic is, not where a
/// call enters: between the two a host's executor runs, whose code is no business of ours. In the default mode it reads
/// a register, in any other it also writes it, twice.
///
/// Compilers know of no mode and may move arithmetic past it, but neither memory accesses nor calls: what it protects
/// is a call of a kernel, or loads its operands and stores or branches on its results.
class DefaultFloatingPoint {
 public:
  DefaultFloatingPoint() noexcept : host_(read()) {
    if (!is_default()) write((host_ & ~kControl) | kDefault);
  }
  ~DefaultFloatingPoint() {
    if (!is_default()) write(host_);
  }
  DefaultFloatingPoint(const DefaultFloatingPoint&) = delete;
  DefaultFloatingPoint& operator=(const DefaultFloatingPoint&) = delete;

 private:
#if defined(__x86_64__)
  using Register = std::uint32_t;  // MXCSR. Writing the whole of it back also drops flags of exceptions that the host
                                   // has unmasked, which would puzzle its handler.
  static constexpr Register kControl = 0xffc0;  // flush to zero, rounding, masks, subnormals as zeros; below: flags
  static constexpr Register kDefault = 0x1f80;  // the six masks

  static Register read() noexcept {
    Register value;
    asm volatile("stmxcsr %0" : "=m"(value) : : "memory");
    return value;
  }
  static void write(Register value) noexcept { asm volatile("ldmxcsr %0" : : "m"(value) : "memory"); }
#elif defined(__aarch64__)
  using Register = std::uint64_t;  // FPCR; the flags have a register of their own
  static constexpr Register kControl = ~Register{0};
  static constexpr Register kDefault = 0;

  static Register read() noexcept {
    Register value;
    asm volatile("mrs %0, fpcr" : "=r"(value) : : "memory");
    return value;
  }
  static void write(Register value) noexcept { asm volatile("msr fpcr, %0" : : "r"(value) : "memory"); }
#else  // not one of the two that the promise is made for
  using Register = std::uint32_t;
  static constexpr Register kControl = 0, kDefault = 0;

  static Register read() noexcept { return kDefault; }
  static void write(Register) noexcept {}
#endif

  bool is_default() const noexcept { return (host_ & kControl) == kDefault; }

  const Register host_;
};

}  // namespace swiglu
