#include "certify/functions.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "reference/activation.hpp"

namespace swiglu::certify {
namespace {

constexpr double kNowhere = std::numeric_limits<double>::infinity();
constexpr double kEverywhere = -kNowhere;

// Just above where silu has its minimum, -1.27846454….
constexpr double kSiluMinimum = -1.2784645;

template <swiglu::Function F>
void run(const kernels::KernelSet& set, const float* in, float* out, std::size_t n) {
  set.functions[static_cast<std::size_t>(F)](in, out, n);
}

}  // namespace

// The references are double. glibc's exp, expm1, tanh and erfc are within a few 2^-53, and the formulas around them add
// as much, times 200 at the most where a rounded argument is magnified (reference/activation.hpp): below 2^-44, which
// is 2^-20 of an f32 ulp. An error that is printed with four decimals is therefore good in all of them, and the
// reference costs some ten nanoseconds instead of the microseconds of a multi-precision library; mpmath_test.py asks
// one all the same, at the worst inputs found and at random ones.
const std::vector<Function>& functions() {
  using Kind = swiglu::Function;
  static const std::vector<Function> rows = {
      {"silu", reference::silu, run<Kind::silu>, 0.55, kSiluMinimum},
      {"silu_slope", reference::silu_slope, run<Kind::silu_slope>, 0.55, kNowhere},
      {"sigmoid", reference::sigmoid, run<Kind::sigmoid>, 0.55, kEverywhere},
      {"gelu_tanh", reference::gelu_tanh, run<Kind::gelu_tanh>, 0.55, kNowhere},
      {"gelu_erf", reference::gelu_erf, run<Kind::gelu_erf>, 0.55, kNowhere},
      {"gelu_quick", reference::gelu_quick, run<Kind::gelu_quick>, 0.55, kNowhere},
      {"tanh", [](double x) { return std::tanh(x); }, run<Kind::tanh>, 0.55, kEverywhere},
      {"exp", [](double x) { return std::exp(x); }, run<Kind::exp>, 0.55, kEverywhere},
  };
  return rows;
}

std::vector<std::string> certifiable() {
  std::vector<std::string> names;
  for (const Function& row : functions()) {
    if (row.run != nullptr) names.emplace_back(row.name);
  }
  return names;
}

const Function& find_function(const std::string& name) {
  std::string known;
  for (const Function& row : functions()) {
    if (name == row.name) return row;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  throw std::invalid_argument("unknown function '" + name + "': must be one of " + known);
}

}  // namespace swiglu::certify
