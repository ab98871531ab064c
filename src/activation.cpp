#include "swiglu/activation.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <system_error>
#include <utility>

#include "default_floating_point.hpp"
#include "swiglu/error.h"

namespace swiglu {
namespace {

struct Parameter {
  const char* name;
  float Activation::* field;
  bool positive;  // else any sign will do
};

constexpr Parameter kParameters[] = {
    {"multiplier", &Activation::multiplier, false}, {"beta", &Activation::beta, false},
    {"alpha", &Activation::alpha, false},           {"limit", &Activation::limit, true},
    {"beta1", &Activation::beta1, false},           {"beta2", &Activation::beta2, false},
};
constexpr std::size_t kParameterCount = std::size(kParameters);

struct PresetRow {
  Preset preset;
  const char* name;
  float defaults[kParameterCount];  // 0 = the preset has no such parameter
};

constexpr PresetRow kPresets[] = {
    {Preset::swiglu, "swiglu", {1}},
    {Preset::swiglu_beta, "swiglu_beta", {0, 1}},
    {Preset::gpt_oss, "gpt_oss", {0, 0, 1.702f, 7}},
    {Preset::minimax_m3, "minimax_m3", {0, 0, 1.702f, 7}},
    {Preset::deepseek_v4, "deepseek_v4", {0, 0, 0, 10}},
    {Preset::swiglu_step, "swiglu_step", {0, 0, 0, 7}},
    {Preset::situ, "situ", {0, 0, 0, 0, 4, 25}},
    {Preset::geglu_tanh, "geglu_tanh", {}},
    {Preset::geglu_erf, "geglu_erf", {}},
    {Preset::geglu_quick, "geglu_quick", {}},
    {Preset::reglu, "reglu", {}},
    {Preset::relu2, "relu2", {}},
    {Preset::glu, "glu", {}},
    {Preset::bilinear, "bilinear", {}},
};

const PresetRow* find_row(Preset preset) {
  for (const PresetRow& row : kPresets) {
    if (row.preset == preset) return &row;
  }
  return nullptr;
}

/// By its bits: in some floating-point modes a comparison takes a subnormal for 0, and to change the mode costs more.
struct FloatClass {
  bool finite, zero, negative;

  explicit FloatClass(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    const std::uint32_t magnitude = bits & 0x7fffffff;
    finite = magnitude < 0x7f800000;
    zero = magnitude == 0;
    negative = bits != magnitude;
  }
};

/// The shortest text that reads back as the same float; std::to_string would lose digits and follow the locale.
std::string text_of(float value) {
  const DefaultFloatingPoint mode;
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return std::string(buffer, end);
}

std::string parameters_of(const PresetRow& row) {
  std::string names;
  for (std::size_t i = 0; i < kParameterCount; ++i) {
    if (row.defaults[i] != 0) names += (names.empty() ? "" : ", ") + std::string(kParameters[i].name);
  }
  return names.empty() ? "no parameters" : names;
}

/// Index into kParameters of a parameter of this preset.
std::size_t find_parameter(const PresetRow& row, const std::string& name, const std::string& text) {
  for (std::size_t i = 0; i < kParameterCount; ++i) {
    if (row.defaults[i] != 0 && name == kParameters[i].name) return i;
  }
  throw InvalidArgument("activation = \"" + text + "\": \"" + name + "\" is no parameter of " + row.name +
                        ", which has " + parameters_of(row));
}

float parse_value(const std::string& value, const std::string& text) {
  const DefaultFloatingPoint mode;
  float number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size()) {
    throw InvalidArgument("activation = \"" + text + "\": \"" + value + "\" is not a number that fits a float");
  }
  return number;
}

using Value = std::pair<float Activation::*, float>;

/// Throws what validate() throws.
Activation made(Preset preset, std::initializer_list<Value> values) {
  Activation activation(preset);
  for (const auto& [field, value] : values) activation.*field = value;
  activation.validate();
  return activation;
}

}  // namespace

Activation::Activation(Preset chosen) noexcept : preset(chosen) {
  const PresetRow* row = find_row(chosen);
  if (row == nullptr) return;  // validate() says so
  for (std::size_t i = 0; i < kParameterCount; ++i) this->*kParameters[i].field = row->defaults[i];
}

void Activation::validate() const {
  const PresetRow* row = find_row(preset);
  if (row == nullptr) {
    throw InvalidArgument("activation.preset = " + std::to_string(static_cast<int>(preset)) + ": not a Preset value");
  }
  for (std::size_t i = 0; i < kParameterCount; ++i) {
    const Parameter& parameter = kParameters[i];
    const float value = this->*parameter.field;
    const FloatClass is(value);
    const bool used = row->defaults[i] != 0;
    if (used ? is.finite && !is.zero && !(parameter.positive && is.negative) : is.zero) continue;
    std::string text = std::string("activation.") + parameter.name + " = " + text_of(value) + ": ";
    if (used) {
      text += std::string("must be finite and ") + (parameter.positive ? "greater than 0" : "not 0") + " for " +
              row->name + " (default " + text_of(row->defaults[i]) + ")";
    } else {
      text += std::string("must be 0 for ") + row->name + ", which has " + parameters_of(*row);
    }
    throw InvalidArgument(text);
  }
}

Activation Activation::swiglu(float multiplier) {
  return made(Preset::swiglu, {{&Activation::multiplier, multiplier}});
}

Activation Activation::swiglu_beta(float beta) { return made(Preset::swiglu_beta, {{&Activation::beta, beta}}); }

Activation Activation::gpt_oss(float alpha, float limit) {
  return made(Preset::gpt_oss, {{&Activation::alpha, alpha}, {&Activation::limit, limit}});
}

Activation Activation::minimax_m3(float alpha, float limit) {
  return made(Preset::minimax_m3, {{&Activation::alpha, alpha}, {&Activation::limit, limit}});
}

Activation Activation::deepseek_v4(float limit) { return made(Preset::deepseek_v4, {{&Activation::limit, limit}}); }

Activation Activation::swiglu_step(float limit) { return made(Preset::swiglu_step, {{&Activation::limit, limit}}); }

Activation Activation::situ(float beta1, float beta2) {
  return made(Preset::situ, {{&Activation::beta1, beta1}, {&Activation::beta2, beta2}});
}

bool operator==(const Activation& a, const Activation& b) noexcept {
  const DefaultFloatingPoint mode;
  for (const Parameter& parameter : kParameters) {
    if (a.*parameter.field != b.*parameter.field) return false;
  }
  return a.preset == b.preset;
}

std::vector<Preset> all_presets() {
  std::vector<Preset> presets;
  for (const PresetRow& row : kPresets) presets.push_back(row.preset);
  return presets;
}

const char* to_string(Preset preset) noexcept {
  const PresetRow* row = find_row(preset);
  return row == nullptr ? "invalid" : row->name;
}

Preset parse_preset(const std::string& name) {
  std::string known;
  for (const PresetRow& row : kPresets) {
    if (name == row.name) return row.preset;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  throw InvalidArgument("preset = \"" + name + "\": must be one of " + known);
}

std::string to_string(const Activation& activation) {
  const DefaultFloatingPoint mode;
  const Activation defaults(activation.preset);
  std::string text = to_string(activation.preset);
  char separator = ':';
  for (const Parameter& parameter : kParameters) {
    if (activation.*parameter.field == defaults.*parameter.field) continue;
    text += separator + std::string(parameter.name) + "=" + text_of(activation.*parameter.field);
    separator = ',';
  }
  return text;
}

Activation parse_activation(const std::string& text) {
  const std::size_t colon = text.find(':');
  Activation activation(parse_preset(text.substr(0, colon)));
  if (colon == std::string::npos) return activation;

  const PresetRow& row = *find_row(activation.preset);
  bool given[kParameterCount] = {};
  for (std::size_t begin = colon + 1; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string assignment = text.substr(begin, end - begin);
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos) {
      throw InvalidArgument("activation = \"" + text + "\": \"" + assignment + "\" is not NAME=VALUE; " + row.name +
                            " has " + parameters_of(row));
    }
    const std::string name = assignment.substr(0, equals);
    const std::size_t i = find_parameter(row, name, text);
    if (given[i]) throw InvalidArgument("activation = \"" + text + "\": " + name + " is given twice");
    given[i] = true;
    activation.*kParameters[i].field = parse_value(assignment.substr(equals + 1), text);
    begin = end + 1;
  }
  activation.validate();
  return activation;
}

}  // namespace swiglu
