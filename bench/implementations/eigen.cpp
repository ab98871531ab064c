// Eigen's product and our silu·mul; eigen_product.cpp is loaded as a module for the ISA in question.

#include "implementations/sgemm_object.hpp"

#ifdef BENCH_EIGEN_FOLDER
#include <dlfcn.h>

#include <stdexcept>

namespace swiglu::bench {
namespace {

template <class Function>
Function find(void* module, const char* name) {
  return reinterpret_cast<Function>(dlsym(module, name));
}

std::unique_ptr<BlockObject> create(const ObjectRequest& request) {
  const std::string path = std::string(BENCH_EIGEN_FOLDER "/libswiglu_eigen_") + swiglu::to_string(request.isa) + ".so";
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays loaded; a second time it is the same one
  if (module == nullptr) throw Unsupported(std::string("no Eigen product for this ISA: ") + dlerror());
  const auto multiply = find<void (*)(const float*, const float*, float*, std::size_t, std::size_t, std::size_t, int)>(
      module, "swiglu_eigen_product");
  const auto version = find<const char* (*)()>(module, "swiglu_eigen_version");
  const int threads = static_cast<int>(request.threads);
  const auto product = [multiply, threads](const float* in, const float* w, float* out, std::size_t rows, std::size_t k,
                                           std::size_t n) { multiply(in, w, out, rows, k, n, threads); };
  return std::make_unique<SgemmObject>(request, product,
                                       std::string(version()) + ", " + swiglu::to_string(request.isa));
}

std::string missing() { return {}; }

}  // namespace
}  // namespace swiglu::bench
#else
namespace swiglu::bench {
namespace {

std::string missing() { return "this build has no Eigen (libeigen3-dev was not there when it was configured)"; }

std::unique_ptr<BlockObject> create(const ObjectRequest&) { throw Unsupported(missing()); }

}  // namespace
}  // namespace swiglu::bench
#endif

namespace swiglu::bench {

const Implementation kEigen = {"eigen",     nullptr,    "Eigen's product of width 2·d_ff, our silu·mul, product",
                               Family::ffn, Role::peer, false,
                               missing,     create};

}  // namespace swiglu::bench
