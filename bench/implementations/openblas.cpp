// OpenBLAS: sgemm (sgemv for one row) and our silu·mul. Its shared library is loaded when it is first needed and not
// linked: it picks its kernels and starts its threads while it is loaded, so the ISA that it is capped to and the CPUs
// that it may use must be known by then.

#include "implementations/sgemm_object.hpp"

#ifdef BENCH_OPENBLAS_LIBRARY
#include <cblas.h>
#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

namespace swiglu::bench {
namespace {

struct OpenBlas {
  decltype(&cblas_sgemm) sgemm;
  decltype(&cblas_sgemv) sgemv;
  decltype(&openblas_set_num_threads) set_threads;
  decltype(&openblas_get_corename) core;
  decltype(&openblas_get_config) config;
};

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(std::string("OpenBLAS has no ") + name);
}

/// `isa`: of the first caller, which is the only one of the process (Implementation::own_isa).
const OpenBlas& library(Isa isa) {
  static const OpenBlas loaded = [isa] {
    // Left to itself, a release does not know newer CPUs: 0.3.21 runs AVX2 kernels on a Zen 5.
    if (isa == Isa::avx512) setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
    if (isa == Isa::avx2) setenv("OPENBLAS_CORETYPE", "Haswell", 0);
    if (isa == Isa::portable) setenv("OPENBLAS_CORETYPE", "Nehalem", 0);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);  // threads are started later, on the CPUs of the arm
    void* handle = dlopen(BENCH_OPENBLAS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw std::runtime_error(std::string("OpenBLAS does not load: ") + dlerror());
    OpenBlas functions;
    find(handle, "cblas_sgemm", functions.sgemm);
    find(handle, "cblas_sgemv", functions.sgemv);
    find(handle, "openblas_set_num_threads", functions.set_threads);
    find(handle, "openblas_get_corename", functions.core);
    find(handle, "openblas_get_config", functions.config);
    return functions;
  }();
  return loaded;
}

std::unique_ptr<BlockObject> create(const ObjectRequest& request) {
  const OpenBlas& blas = library(request.isa);
  const int threads = static_cast<int>(request.threads);
  const auto product = [&blas, threads](const float* in, const float* w, float* out, std::size_t rows, std::size_t k,
                                        std::size_t n) {
    const auto dim = [](std::size_t value) { return static_cast<blasint>(value); };
    blas.set_threads(threads);
    if (rows == 1) {
      blas.sgemv(CblasRowMajor, CblasNoTrans, dim(n), dim(k), 1, w, dim(k), in, 1, 0, out, 1);
    } else {
      blas.sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, dim(rows), dim(n), dim(k), 1, in, dim(k), w, dim(k), 0, out,
                 dim(n));
    }
  };
  return std::make_unique<SgemmObject>(request, product, std::string(blas.config()) + ", kernels " + blas.core());
}

}  // namespace
}  // namespace swiglu::bench
#else
namespace swiglu::bench {
namespace {

std::unique_ptr<BlockObject> create(const ObjectRequest&) { throw Unsupported("OpenBLAS was not found at build time"); }

}  // namespace
}  // namespace swiglu::bench
#endif

namespace swiglu::bench {
namespace {

std::string missing() {
#ifdef BENCH_OPENBLAS_LIBRARY
  return {};
#else
  return "this build has no OpenBLAS (libopenblas-dev was not there when it was configured)";
#endif
}

}  // namespace

const Implementation kOpenblas = {"openblas",  nullptr,    "OpenBLAS sgemm of width 2·d_ff, our silu·mul, sgemm",
                                  Family::ffn, Role::peer, true,
                                  missing,     create};

}  // namespace swiglu::bench
