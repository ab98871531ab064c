#include "probe_impl.hpp"

namespace swiglu::bench {
extern const Probe kProbe_avx512;
constexpr Probe kProbe_avx512 = make_probe<64, 24>(Isa::avx512);
}  // namespace swiglu::bench
