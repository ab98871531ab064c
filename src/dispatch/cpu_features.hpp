#pragma once

// What this machine can execute, as a set of feature bits. Bits only, never vendor, family or model: new CPUs with old
// features and old CPUs with new names are then both right (hard case D-08).

#include <cstdint>
#include <string>

namespace swiglu {

using Features = std::uint32_t;

// The CPU's.
inline constexpr Features kFeatureAvx = 1u << 0;
inline constexpr Features kFeatureFma = 1u << 1;
inline constexpr Features kFeatureAvx2 = 1u << 2;
inline constexpr Features kFeatureAvx512f = 1u << 3;
inline constexpr Features kFeatureAvx512cd = 1u << 4;
inline constexpr Features kFeatureAvx512dq = 1u << 5;
inline constexpr Features kFeatureAvx512bw = 1u << 6;
inline constexpr Features kFeatureAvx512vl = 1u << 7;
inline constexpr Features kFeatureAsimd = 1u << 8;
// The operating system's: it saves these registers when it switches threads.
inline constexpr Features kFeatureOsYmm = 1u << 9;
inline constexpr Features kFeatureOsZmm = 1u << 10;

/// Decodes CPUID leaf 1 ECX, leaf 7 subleaf 0 EBX, and XCR0 (0 if the CPU has no OSXSAVE).
Features decode_x86_features(std::uint32_t leaf1_ecx, std::uint32_t leaf7_ebx, std::uint64_t xcr0);

/// Features of this machine: CPUID and XCR0, or HWCAP; detected once.
Features machine_features();

/// For people: "CPU lacks avx512f, avx512bw; the OS does not enable zmm registers (XCR0)". Empty for no feature.
std::string describe_missing(Features missing);

}  // namespace swiglu
