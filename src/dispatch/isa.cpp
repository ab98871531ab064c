#include "swiglu/isa.h"

#include <cstdlib>

#include "dispatch/cpu_features.hpp"
#include "dispatch/kernel_sets.hpp"
#include "swiglu/error.h"

namespace swiglu {
namespace {

#ifdef SWIGLU_HAVE_PORTABLE
constexpr const kernels::KernelSet* kPortable = &kernels::kKernelSet_portable;
#else
constexpr const kernels::KernelSet* kPortable = nullptr;
#endif
#ifdef SWIGLU_HAVE_AVX2
constexpr const kernels::KernelSet* kAvx2 = &kernels::kKernelSet_avx2;
#else
constexpr const kernels::KernelSet* kAvx2 = nullptr;
#endif
#ifdef SWIGLU_HAVE_AVX512
constexpr const kernels::KernelSet* kAvx512 = &kernels::kKernelSet_avx512;
#else
constexpr const kernels::KernelSet* kAvx512 = nullptr;
#endif
#ifdef SWIGLU_HAVE_NEON
constexpr const kernels::KernelSet* kNeon = &kernels::kKernelSet_neon;
#else
constexpr const kernels::KernelSet* kNeon = nullptr;
#endif

constexpr Features kAvx2Features = kFeatureAvx | kFeatureFma | kFeatureAvx2 | kFeatureOsYmm;
constexpr Features kAvx512Features = kAvx2Features | kFeatureAvx512f | kFeatureAvx512cd | kFeatureAvx512dq |
                                     kFeatureAvx512bw | kFeatureAvx512vl | kFeatureOsZmm;

struct IsaRow {
  Isa isa;
  const char* name;
  Features required;
  const kernels::KernelSet* kernels;  // null = not compiled into this library

  bool compiled() const { return kernels != nullptr; }
  Features missing() const { return required & ~machine_features(); }
  bool runs() const { return compiled() && missing() == 0; }
};

// Best last.
constexpr IsaRow kRows[] = {
    {Isa::portable, "portable", 0, kPortable},
    {Isa::avx2, "avx2", kAvx2Features, kAvx2},
    {Isa::avx512, "avx512", kAvx512Features, kAvx512},
    {Isa::neon, "neon", kFeatureAsimd, kNeon},
};
constexpr const char* kAutomaticName = "automatic";
constexpr const char* kVariable = "SWIGLU_ISA";

const IsaRow* find_row(Isa isa) {
  for (const IsaRow& row : kRows) {
    if (row.isa == isa) return &row;
  }
  return nullptr;
}

std::string names_of(const std::vector<Isa>& isas) {
  std::string text;
  for (const Isa isa : isas) text += (text.empty() ? "" : ", ") + std::string(to_string(isa));
  return text;
}

/// Throws InvalidArgument that says where the name came from.
Isa parse_named(const std::string& name, const char* source) {
  if (name == kAutomaticName) return Isa::automatic;
  std::string known = kAutomaticName;
  for (const IsaRow& row : kRows) {
    if (name == row.name) return row.isa;
    known += ", " + std::string(row.name);
  }
  throw InvalidArgument(std::string(source) + " = \"" + name + "\": must be one of " + known);
}

/// Why this ISA cannot be used here; empty if it can.
std::string obstacle(const IsaRow& row) {
  std::string text = row.compiled() ? "" : "not compiled into this library";
  const std::string missing = describe_missing(row.missing());
  if (!missing.empty()) text += (text.empty() ? "" : "; ") + missing;
  return text;
}

Isa require_available(Isa isa, const char* source) {
  const IsaRow* row = find_row(isa);
  if (row == nullptr) {
    throw InvalidArgument(std::string(source) + " = " + std::to_string(static_cast<int>(isa)) + ": not an Isa value");
  }
  if (!row->runs()) {
    throw Unsupported(std::string(source) + " = " + row->name + " is not available: " + obstacle(*row) +
                      ". Available: " + names_of(supported_isas()));
  }
  return isa;
}

struct Choice {
  Isa isa;
  const char* why;
};

Choice choose(Isa requested) {
  if (requested != Isa::automatic) return {require_available(requested, "isa"), "asked for by the caller"};
  const char* value = std::getenv(kVariable);
  if (value != nullptr && *value != '\0') {
    const Isa forced = parse_named(value, kVariable);
    if (forced != Isa::automatic) return {require_available(forced, kVariable), "forced by SWIGLU_ISA"};
  }
  const std::vector<Isa> runnable = supported_isas();
  if (runnable.empty()) {
    throw Unsupported("isa = automatic: this machine runs none of the compiled instruction sets (" +
                      names_of(compiled_isas()) + ")");
  }
  return {runnable.back(), "the best one that is compiled in and runs here"};
}

}  // namespace

const char* to_string(Isa isa) noexcept {
  if (isa == Isa::automatic) return kAutomaticName;
  const IsaRow* row = find_row(isa);
  return row == nullptr ? "invalid" : row->name;
}

Isa parse_isa(const std::string& name) { return parse_named(name, "isa"); }

std::vector<Isa> compiled_isas() {
  std::vector<Isa> isas;
  for (const IsaRow& row : kRows) {
    if (row.compiled()) isas.push_back(row.isa);
  }
  return isas;
}

std::vector<Isa> supported_isas() {
  std::vector<Isa> isas;
  for (const IsaRow& row : kRows) {
    if (row.runs()) isas.push_back(row.isa);
  }
  return isas;
}

Isa resolve_isa(Isa requested) { return choose(requested).isa; }

std::string explain_isa(Isa requested) {
  std::string text;
  for (const IsaRow& row : kRows) {
    const std::string why_not = obstacle(row);
    text += std::string(row.name) + ": " + (why_not.empty() ? "compiled, runs here" : why_not) + "\n";
  }
  text += std::string(to_string(requested)) + " -> ";
  try {
    const Choice choice = choose(requested);
    text += std::string(to_string(choice.isa)) + " (" + choice.why + ")\n";
  } catch (const std::exception& error) {  // a person who asks for an explanation wants the reason, not an exception
    text += std::string("error: ") + error.what() + "\n";
  }
  return text;
}

const kernels::KernelSet& kernel_set(Isa isa) { return *find_row(require_available(isa, "isa"))->kernels; }

}  // namespace swiglu
