#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace swiglu::testing {

/// FNV-1a, 64 bits, over the bits of floats (little-endian machines only, as all of ours are).
inline std::uint64_t hash_floats(const float* p, std::size_t n) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < n; ++i) {
    unsigned char bytes[sizeof(float)];
    std::memcpy(bytes, p + i, sizeof(float));
    for (unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  }
  return hash;
}

}  // namespace swiglu::testing
