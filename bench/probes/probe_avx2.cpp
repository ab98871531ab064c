#include "probe_impl.hpp"

namespace swiglu::bench {
extern const Probe kProbe_avx2;
constexpr Probe kProbe_avx2 = make_probe<32, 12>(Isa::avx2);
}  // namespace swiglu::bench
