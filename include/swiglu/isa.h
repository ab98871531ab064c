#pragma once

#include <string>
#include <vector>

#include "swiglu/export.h"

namespace swiglu {

/// Instruction sets a kernel set can be compiled for. The names are spelled the same everywhere: here, in file names,
/// in SWIGLU_ISA, in test suffixes and in benchmark rows.
enum class Isa {
  automatic,  ///< SWIGLU_ISA if it is set, else the best one that this build has and this machine runs
  portable,   ///< the baseline of the architecture; bits may differ from the others (no fused multiply-add on x86)
  avx2,       ///< AVX2 + FMA
  avx512,     ///< AVX-512 F, CD, DQ, BW, VL
  neon,       ///< AArch64 Advanced SIMD
};

/// "automatic", "portable", "avx2", "avx512" or "neon".
SWIGLU_API const char* to_string(Isa isa) noexcept;

/// The inverse of to_string. Throws InvalidArgument for any other text (no trimming, no case folding).
SWIGLU_API Isa parse_isa(const std::string& name);

/// Kernel sets compiled into this library, best last. Never contains `automatic`.
SWIGLU_API std::vector<Isa> compiled_isas();

/// Those of compiled_isas() that this CPU and operating system can run (CPUID and XCR0, or HWCAP), best last.
SWIGLU_API std::vector<Isa> supported_isas();

/// What `requested` means here: an explicit ISA is returned as it is, `automatic` follows SWIGLU_ISA, then the CPU.
/// Throws Unsupported if that ISA is not compiled in or the machine lacks it, InvalidArgument if SWIGLU_ISA holds an
/// unknown name (the empty string counts as unset).
SWIGLU_API Isa resolve_isa(Isa requested = Isa::automatic);

/// Several lines for people: every ISA, whether it is compiled in, whether this machine runs it, and if not which
/// feature is missing; then what `requested` resolves to and why.
SWIGLU_API std::string explain_isa(Isa requested = Isa::automatic);

}  // namespace swiglu
