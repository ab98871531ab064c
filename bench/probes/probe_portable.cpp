#include "probe_impl.hpp"

namespace swiglu::bench {
extern const Probe kProbe_portable;
constexpr Probe kProbe_portable = make_probe<16, 12>(Isa::portable);
}  // namespace swiglu::bench
