#include "certify/certificate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <stdexcept>

#include "support/float_bits.hpp"
#include "support/ulp.hpp"
#include "swiglu/version.h"

namespace swiglu::certify {
namespace {

using nlohmann::ordered_json;

using testing::bits_of;
using testing::float_of;

std::string printed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string hash_text(std::uint64_t hash) {
  char text[32];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::string bits_text(float value) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(bits_of(value)));
  return text;
}

bool promises_equal_bits(Isa isa) { return isa != Isa::portable; }

double largest_ulp(const Scan& scan) { return std::max(scan.normal.ulp, scan.subnormal.ulp); }

ordered_json to_json(const Stream& stream) {
  return {{"first", bits_text(float_at(stream.first))},
          {"last", bits_text(float_at(stream.last))},
          {"step", stream.step},
          {"size", stream.size()},
          {"order", "bit patterns, ascending in the total order of IEEE 754 (-NaN, -inf, ..., +inf, +NaN)"}};
}

ordered_json to_json(const Worst& worst) {
  return {{"ulp", worst.ulp}, {"input", hex(worst.input)}, {"output", hex(worst.output)}};
}

ordered_json to_json(const Count& count) {
  ordered_json json = {{"times", count.times}};
  if (count.times > 0) json["first"] = hex(count.first);
  return json;
}

bool is_monotone_somewhere(const Function& function) {
  return function.rises_from < std::numeric_limits<double>::infinity();
}

ordered_json to_json(const Entry& entry) {
  ordered_json json = {{"function", entry.function->name},
                       {"isa", to_string(entry.isa)},
                       {"promised_ulp", entry.function->promised_ulp},
                       {"inputs", entry.scan.inputs},
                       {"max_ulp", largest_ulp(entry.scan)},
                       {"mean_ulp", entry.scan.mean_ulp},
                       {"worst_normal", to_json(entry.scan.normal)},
                       {"worst_subnormal", to_json(entry.scan.subnormal)},
                       {"wrong_class", to_json(entry.scan.wrong_class)},
                       {"flushed", to_json(entry.scan.flushed)}};
  if (is_monotone_somewhere(*entry.function)) {
    json["rises_from"] = hex(entry.function->rises_from);
    json["falls"] = to_json(entry.scan.falls);
  }
  json["hash"] = hash_text(entry.scan.hash);
  for (const Special& special : entry.specials) {
    json["special_values"][bits_text(special.input)] = bits_text(special.output);
  }
  json["broken"] = entry.broken();
  return json;
}

}  // namespace

std::string hex(double value) {
  if (std::isnan(value)) return "nan";
  return printed("%a", value);
}

std::vector<Special> special_values(const Function& function, const Kernel& kernel) {
  constexpr float kTiny = 0x1p-149f, kLargestSubnormal = 0x1.fffffcp-127f, kSmallestNormal = 0x1p-126f;
  constexpr float kMax = std::numeric_limits<float>::max(), kInf = std::numeric_limits<float>::infinity();
  std::vector<float> inputs;
  for (const float size : {0.0f, kTiny, kLargestSubnormal, kSmallestNormal, kMax, kInf}) {
    inputs.insert(inputs.end(), {size, -size});
  }
  // Quiet and signalling, both signs, payloads in the highest and in the lowest bit only.
  for (const std::uint32_t nan : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xff800001u, 0x7fffffffu}) {
    inputs.push_back(float_of(nan));
  }
  std::vector<float> outputs(inputs.size());
  kernel(inputs.data(), outputs.data(), inputs.size());
  std::vector<Special> specials;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double exact = function.reference(inputs[i]);
    // A NaN goes through memory and a float parameter: its payload may differ, its class may not.
    specials.push_back({inputs[i], outputs[i], testing::ulp_error(outputs[i], exact) <= function.promised_ulp});
  }
  return specials;
}

std::string Entry::broken() const {
  const double promised_ulp = function->promised_ulp;
  std::string text;
  const auto say = [&text](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  const auto say_count = [&](const Count& count, const char* what) {
    if (count.times > 0) say(std::to_string(count.times) + " " + what + ", first at " + hex(count.first));
  };
  for (const Worst* worst : {&scan.normal, &scan.subnormal}) {
    if (worst->ulp > promised_ulp) {
      say(printed("%.4f ulp", worst->ulp) + " at " + hex(worst->input) + ", promised " + printed("%.4g", promised_ulp));
    }
  }
  say_count(scan.wrong_class, "NaNs or signs wrong");
  say_count(scan.flushed, "results flushed to zero");
  say_count(scan.falls, "falls where the function rises");
  for (const Special& special : specials) {
    if (!special.right) {
      say("special value " + hex(special.input) + " (" + bits_text(special.input) + ") gives " + hex(special.output) +
          " (" + bits_text(special.output) + ")");
    }
  }
  return text;
}

std::vector<std::string> Certificate::disagreements(const ordered_json* expected) const {
  std::map<std::string, std::pair<std::string, std::string>> first;  // function → hash, whose
  try {
    if (expected != nullptr) {
      if (expected->at("stream") != to_json(stream)) {
        throw std::invalid_argument("it is about the stream " + expected->at("stream").dump() + ", this run about " +
                                    to_json(stream).dump());
      }
      for (const ordered_json& entry : expected->at("entries")) {
        const std::string isa = entry.at("isa");
        if (isa != to_string(Isa::portable))
          first.insert({entry.at("function"), {entry.at("hash"), isa + " in the file"}});
      }
    }
  } catch (const ordered_json::exception& error) {
    throw std::invalid_argument(std::string("it is no accuracy.json: ") + error.what());
  }
  std::vector<std::string> lines;
  for (const Entry& entry : entries) {
    if (!promises_equal_bits(entry.isa)) continue;
    const std::string hash = hash_text(entry.scan.hash), isa = to_string(entry.isa);
    const auto [other, is_first] = first.insert({entry.function->name, {hash, isa}});
    if (is_first || other->second.first == hash) continue;
    lines.push_back(std::string(entry.function->name) + ": the bits of " + isa + " (hash " + hash +
                    ") are not those of " + other->second.second + " (" + other->second.first + ")");
  }
  return lines;
}

ordered_json to_json(const Certificate& certificate, const std::vector<std::string>& disagreements) {
  ordered_json json = {
      {"schema", 1},
      {"program", std::string("swiglu-certify ") + version()},
      {"stream", to_json(certificate.stream)},
      {"ulp", "spacing of f32 at the exact value, 2^-149 below 2^-126"},
      {"hash",
       "FNV-1a (64 bits) over the results' 32-bit words for each chunk of 2^16 inputs, NaNs as 7fc00000; then "
       "over the 64-bit hashes of the chunks"}};
  json["entries"] = ordered_json::array();
  for (const Entry& entry : certificate.entries) json["entries"].push_back(to_json(entry));
  json["disagreements"] = disagreements;
  return json;
}

std::string to_markdown(const Certificate& certificate) {
  std::string text =
      "| function | ISA | max ulp | at | below 2^-126: max ulp | mean ulp | rises from | NaN, ±∞, ±0, subnormals |\n"
      "|---|---|---|---|---|---|---|---|\n";
  std::vector<bool> told(certificate.entries.size());
  for (std::size_t i = 0; i < certificate.entries.size(); ++i) {
    if (told[i]) continue;
    const Entry& entry = certificate.entries[i];
    std::string isas;
    for (std::size_t j = i; j < certificate.entries.size(); ++j) {
      const Entry& other = certificate.entries[j];
      if (other.function != entry.function || other.scan.hash != entry.scan.hash) continue;
      isas += (isas.empty() ? "" : ", ") + std::string(to_string(other.isa));
      told[j] = true;
    }
    const Function& function = *entry.function;
    std::string rises = "–";
    if (is_monotone_somewhere(function)) {
      rises = std::isinf(function.rises_from) ? "−∞" : printed("%.7g", function.rises_from);
      if (entry.scan.falls.times > 0) rises += ", but for " + std::to_string(entry.scan.falls.times) + " places";
    }
    bool right = entry.scan.wrong_class.times == 0 && entry.scan.flushed.times == 0;
    for (const Special& special : entry.specials) right = right && special.right;
    text += std::string("| `") + function.name + "` | " + isas + " | " + printed("%.4f", entry.scan.normal.ulp) +
            " | `" + hex(entry.scan.normal.input) + "` | " + printed("%.4f", entry.scan.subnormal.ulp) + " | " +
            printed("%.4f", entry.scan.mean_ulp) + " | " + rises + " | " + (right ? "right" : "**wrong**") + " |\n";
  }
  return text;
}

std::string to_text(const Entry& entry) {
  const std::string broken = entry.broken();
  return std::string(entry.function->name) + "/" + to_string(entry.isa) + ": " +
         printed("%.4f", entry.scan.normal.ulp) + " ulp at " + hex(entry.scan.normal.input) + ", below 2^-126 " +
         printed("%.4f", entry.scan.subnormal.ulp) + " at " + hex(entry.scan.subnormal.input) + ", mean " +
         printed("%.4f", entry.scan.mean_ulp) + ", hash " + hash_text(entry.scan.hash) +
         (broken.empty() ? "" : "\n  BROKEN: " + broken);
}

}  // namespace swiglu::certify
