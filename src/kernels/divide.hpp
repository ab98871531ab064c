// IEEE division on batches. xsimd's division on AArch64 may be an estimate with Newton steps; C3 needs the real one.
#pragma once

#include <type_traits>
#include <xsimd/xsimd.hpp>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace swiglu::kernels {
namespace {

template <class B>
inline B ieee_divide(B a, B b) {
#if defined(__aarch64__)
  if constexpr (std::is_base_of_v<xsimd::neon64, typename B::arch_type>) return B(vdivq_f32(a, b));
#endif
  return a / b;
}

}  // namespace
}  // namespace swiglu::kernels
