#include "probe_impl.hpp"

namespace swiglu::bench {
extern const Probe kProbe_neon;
constexpr Probe kProbe_neon = make_probe<16, 24>(Isa::neon);
}  // namespace swiglu::bench
