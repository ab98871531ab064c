#include "probe.hpp"

namespace swiglu::bench {

const Probe* find_probe(Isa isa) {
  switch (isa) {
#ifdef BENCH_HAVE_PORTABLE
    case Isa::portable:
      return &kProbe_portable;
#endif
#ifdef BENCH_HAVE_AVX2
    case Isa::avx2:
      return &kProbe_avx2;
#endif
#ifdef BENCH_HAVE_AVX512
    case Isa::avx512:
      return &kProbe_avx512;
#endif
#ifdef BENCH_HAVE_NEON
    case Isa::neon:
      return &kProbe_neon;
#endif
    default:
      return nullptr;
  }
}

}  // namespace swiglu::bench
