#pragma once

// The functions that the certificate covers. A new one is a row in functions.cpp.

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/kernel_set.hpp"

namespace swiglu::certify {

struct Function {
  const char* name;
  double (*reference)(double);

  /// out[i] = f(in[i]) by a kernel set; null while the library has no such kernel. Of a preset, the product with up =
  /// 1: that multiplication changes no bit.
  void (*run)(const kernels::KernelSet& set, const float* in, float* out, std::size_t n);

  double promised_ulp;  ///< largest error, of every set
  double rises_from;    ///< the function never falls from here to +∞; +∞ = it is not monotone anywhere
};

/// All rows, those without a kernel included.
const std::vector<Function>& functions();

/// The names of the rows that have a kernel.
std::vector<std::string> certifiable();

/// Throws std::invalid_argument for an unknown name, with those that are known.
const Function& find_function(const std::string& name);

}  // namespace swiglu::certify
