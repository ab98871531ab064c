// IEEE division on batches. xsimd's division on AArch64 may be an estimate with Newton steps; C3 needs the real one.
#pragma once

#include <type_traits>
#include <xsimd/xsimd.hpp>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace swiglu::kernels {
namespace {

template <class D>
inline D ieee_divide(D a, D b) {
#if defined(__aarch64__)
  if constexpr (std::is_base_of_v<xsimd::neon64, typename D::arch_type>) return D(vdivq_f64(a, b));
#endif
  return a / b;
}

}  // namespace
}  // namespace swiglu::kernels
