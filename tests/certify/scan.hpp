#pragma once

// One function on a stream of inputs, by any number of kernels at once: the reference is computed once for all of them.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "certify/stream.hpp"

namespace swiglu::certify {

/// out[i] = f(in[i]), i < n. Tests pass kernels that are wrong on purpose.
using Kernel = std::function<void(const float* in, float* out, std::size_t n)>;

/// How often something happened, and the first input at which it did.
struct Count {
  std::uint64_t times = 0;
  float first = 0;
};

/// An error in ulp (see testing::ulp_error) and where it was.
struct Worst {
  double ulp = 0;
  float input = 0;
  float output = 0;
};

/// What one kernel did on the stream. "Subnormal" is where the exact value is below 2^-126 in magnitude, zero included.
struct Scan {
  std::uint64_t inputs = 0;
  Worst normal, subnormal;
  double mean_ulp = 0;  ///< over all inputs that are not NaN and have no wrong class
  Count wrong_class;    ///< NaN for a number, a number for NaN, the wrong sign (of zeros, too)
  Count flushed;        ///< 0 where the exact value is 2^-149 or more
  Count falls;          ///< below its left neighbour of the stream, from `rises_from` on

  /// Of all results, in the order of the stream, NaNs as 7fc00000: FNV-1a of 64 bits over 32-bit words for each chunk
  /// of 2^16 inputs, then the same over the 64-bit hashes of the chunks.
  std::uint64_t hash = 0;
};

/// Thrown out of scan() when `stop` said so.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted: nothing was written") {}
};

struct ScanOptions {
  std::size_t threads = 1;
  std::function<void(double fraction)>
      progress;                ///< called by the calling thread, several times a second; may be empty
  std::function<bool()> stop;  ///< asked by all threads; may be empty
};

/// One result per kernel, the same for every number of threads.
std::vector<Scan> scan(double (*reference)(double), double rises_from, const std::vector<Kernel>& kernels,
                       const Stream& stream, const ScanOptions& options = {});

}  // namespace swiglu::certify
