#pragma once

// Floating-point modes that a host may run in.

#include <cstdint>
#include <vector>

namespace swiglu::testing {

struct FloatingPointMode {
  const char* name;
  std::uint64_t control;  ///< of MXCSR or FPCR, no flags
  bool traps;
};

/// The default, flush to zero, the three other roundings, every exception unmasked, and combinations.
std::vector<FloatingPointMode> floating_point_modes();

/// Those of them that this CPU can be in: few ARM cores can trap, and their register ignores the request.
std::vector<FloatingPointMode> available_floating_point_modes();

/// This thread's register without the flags that arithmetic leaves.
std::uint64_t floating_point_control();

/// While alive, this thread is in `mode`. Between its ends there should be calls of the library only: with every
/// exception unmasked, hardly any arithmetic is safe.
class InMode {
 public:
  explicit InMode(const FloatingPointMode& mode);
  ~InMode();
  InMode(const InMode&) = delete;
  InMode& operator=(const InMode&) = delete;

  /// Whether the mode is still the one that was set.
  bool unchanged() const { return floating_point_control() == control_; }

 private:
  std::uint64_t before_, control_;
};

}  // namespace swiglu::testing
