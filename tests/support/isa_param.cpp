#include "support/isa_param.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace swiglu::testing {

bool can_run(Isa isa) {
  const std::vector<Isa> supported = supported_isas();
  return std::find(supported.begin(), supported.end(), isa) != supported.end();
}

bool is_required(Isa isa) {
  const char* list = std::getenv("SWIGLU_REQUIRE_ISA");
  if (list == nullptr) return false;
  std::istringstream stream(list);
  for (std::string name; std::getline(stream, name, ',');) {
    if (name == to_string(isa)) return true;
  }
  return false;
}

bool emulated() {
  const char* value = std::getenv("SWIGLU_TEST_EMULATED");
  return value != nullptr && *value != '\0';
}

std::vector<Isa> runnable_fma_isas() {
  std::vector<Isa> isas = supported_isas();
  isas.erase(std::remove(isas.begin(), isas.end(), Isa::portable), isas.end());
  return isas;
}

void IsaTest::SetUp() {
  if (can_run(GetParam())) return;
  if (is_required(GetParam())) {
    FAIL() << to_string(GetParam()) << " is in SWIGLU_REQUIRE_ISA, but this machine cannot run it\n" << explain_isa();
  }
  GTEST_SKIP() << "this machine cannot run " << to_string(GetParam());
}

}  // namespace swiglu::testing
