#include "dispatch/cpu_features.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace swiglu {
namespace {

struct FeatureName {
  Features feature;
  const char* name;
};

constexpr FeatureName kCpuNames[] = {
    {kFeatureAvx, "avx"},           {kFeatureFma, "fma"},           {kFeatureAvx2, "avx2"},
    {kFeatureAvx512f, "avx512f"},   {kFeatureAvx512cd, "avx512cd"}, {kFeatureAvx512dq, "avx512dq"},
    {kFeatureAvx512bw, "avx512bw"}, {kFeatureAvx512vl, "avx512vl"}, {kFeatureAsimd, "asimd"},
};
constexpr FeatureName kOsNames[] = {{kFeatureOsYmm, "ymm"}, {kFeatureOsZmm, "zmm"}};

template <std::size_t N>
std::string join(const FeatureName (&names)[N], Features features) {
  std::string text;
  for (const FeatureName& entry : names) {
    if (features & entry.feature) text += (text.empty() ? "" : ", ") + std::string(entry.name);
  }
  return text;
}

#if defined(__x86_64__)
std::uint64_t read_xcr0() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  // Not _xgetbv(): that needs -mxsave, and this file is compiled for the baseline.
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return static_cast<std::uint64_t>(high) << 32 | low;
}

Features detect() {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return 0;
  const std::uint32_t leaf1_ecx = ecx;
  const std::uint64_t xcr0 = (leaf1_ecx & bit_OSXSAVE) ? read_xcr0() : 0;  // without OSXSAVE, xgetbv is SIGILL
  const std::uint32_t leaf7_ebx = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) ? ebx : 0;
  return decode_x86_features(leaf1_ecx, leaf7_ebx, xcr0);
}
#elif defined(__aarch64__)
Features detect() { return (getauxval(AT_HWCAP) & HWCAP_ASIMD) ? kFeatureAsimd : 0; }
#else
Features detect() { return 0; }
#endif

}  // namespace

Features decode_x86_features(std::uint32_t leaf1_ecx, std::uint32_t leaf7_ebx, std::uint64_t xcr0) {
  struct Bit {
    int bit;
    Features feature;
  };
  // Intel SDM vol. 2A, CPUID.
  constexpr Bit kLeaf1Ecx[] = {{12, kFeatureFma}, {28, kFeatureAvx}};
  constexpr Bit kLeaf7Ebx[] = {{5, kFeatureAvx2},      {16, kFeatureAvx512f},  {17, kFeatureAvx512dq},
                               {28, kFeatureAvx512cd}, {30, kFeatureAvx512bw}, {31, kFeatureAvx512vl}};
  Features features = 0;
  for (const Bit& entry : kLeaf1Ecx) {
    if (leaf1_ecx >> entry.bit & 1) features |= entry.feature;
  }
  for (const Bit& entry : kLeaf7Ebx) {
    if (leaf7_ebx >> entry.bit & 1) features |= entry.feature;
  }
  // Intel SDM vol. 1, 13.3: XCR0 bits 1 SSE, 2 AVX, 5 opmask, 6 upper halves of zmm0-15, 7 zmm16-31.
  constexpr std::uint64_t kYmmState = 0x06;
  constexpr std::uint64_t kZmmState = 0xe6;
  if ((xcr0 & kYmmState) == kYmmState) features |= kFeatureOsYmm;
  if ((xcr0 & kZmmState) == kZmmState) features |= kFeatureOsZmm;
  return features;
}

Features machine_features() {
  static const Features features = detect();
  return features;
}

std::string describe_missing(Features missing) {
  const std::string cpu = join(kCpuNames, missing);
  const std::string os = join(kOsNames, missing);
  std::string text;
  if (!cpu.empty()) text += "CPU lacks " + cpu;
  if (!os.empty()) text += (text.empty() ? "" : "; ") + ("the OS does not enable " + os + " registers (XCR0)");
  return text;
}

}  // namespace swiglu
