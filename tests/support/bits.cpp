#include "support/bits.hpp"

#include <algorithm>
#include <cstring>

namespace swiglu::testing {
namespace {

constexpr std::uint32_t kCanaryBits = 0x7fc0dead;

}  // namespace

float canary() { return float_of(kCanaryBits); }

bool all_canaries(const float* p, std::size_t n) {
  return std::all_of(p, p + n, [](const float& f) { return bits_of(f) == kCanaryBits; });
}

::testing::AssertionResult same_bits(const float* a, const float* b, std::size_t n) {
  if (n == 0 || std::memcmp(a, b, n * sizeof(float)) == 0) return ::testing::AssertionSuccess();
  std::size_t i = 0;
  while (bits_of(a[i]) == bits_of(b[i])) ++i;
  return ::testing::AssertionFailure() << "element " << i << " of " << n << " differs: " << std::hexfloat << a[i]
                                       << " and " << b[i] << " (bits " << std::hex << bits_of(a[i]) << ", "
                                       << bits_of(b[i]) << ")";
}

::testing::AssertionResult same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return ::testing::AssertionFailure() << "sizes " << a.size() << " and " << b.size();
  return same_bits(a.data(), b.data(), a.size());
}

}  // namespace swiglu::testing
