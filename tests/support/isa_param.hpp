#pragma once

// Tests parameterised over the kernel sets of this build. A set that this machine cannot run is a visible skip, or a
// failure if SWIGLU_REQUIRE_ISA names it (hard case D-15: AVX-512 tests that "pass" because they return early).

#include <gtest/gtest.h>
#include <swiglu/isa.h>

#include <ostream>
#include <string>
#include <vector>

namespace swiglu {

/// GoogleTest prints a parameter as "avx2", not as "4-byte object <02-00 00-00>".
inline void PrintTo(Isa isa, std::ostream* out) { *out << to_string(isa); }

}  // namespace swiglu

namespace swiglu::testing {

/// Whether this machine runs `isa`.
bool can_run(Isa isa);

/// Whether SWIGLU_REQUIRE_ISA, a comma-separated list, names `isa`.
bool is_required(Isa isa);

/// True in emulation (SWIGLU_TEST_EMULATED is set and not empty): dense samplings become thinner.
bool emulated();

/// The sets that promise equal bits (C3) and run here: all but portable.
std::vector<Isa> runnable_fma_isas();

/// Skips (or fails, see above) every test of an ISA that cannot run.
class IsaTest : public ::testing::TestWithParam<Isa> {
 protected:
  void SetUp() override;
};

inline std::string isa_name(const ::testing::TestParamInfo<Isa>& info) { return to_string(info.param); }

}  // namespace swiglu::testing

/// Instantiates `suite` (an IsaTest) once per compiled kernel set; the test's name ends in the ISA's name.
#define SWIGLU_FOR_EVERY_ISA(suite) \
  INSTANTIATE_TEST_SUITE_P(, suite, ::testing::ValuesIn(::swiglu::compiled_isas()), ::swiglu::testing::isa_name)
