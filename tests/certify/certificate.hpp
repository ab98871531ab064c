#pragma once

// What was found, whether it keeps the promises, and its three forms: text, README table, accuracy.json.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "certify/functions.hpp"
#include "certify/scan.hpp"
#include "swiglu/isa.h"

namespace swiglu::certify {

/// One line of the table of special values.
struct Special {
  float input = 0;
  float output = 0;
  bool right = false;  ///< NaN for NaN; else within the promise of the exact value, with its sign
};

/// ±0, ±∞, NaNs with several payloads, the ends of the subnormal and of the normal range.
std::vector<Special> special_values(const Function& function, const Kernel& kernel);

struct Entry {
  const Function* function;
  Isa isa;
  Scan scan;
  std::vector<Special> specials;

  /// What is broken, for people; empty if every promise is kept.
  std::string broken() const;
};

struct Certificate {
  Stream stream;
  std::vector<Entry> entries;

  /// Entries that contradict each other or `expected` (an accuracy.json of the same stream, or null): all sets but
  /// portable promise equal bits. Throws std::invalid_argument if `expected` is of another stream or malformed.
  std::vector<std::string> disagreements(const nlohmann::ordered_json* expected) const;
};

/// `input` as a C hexadecimal literal, "-0x1.6f7c6ep+6"; "nan", "inf".
std::string hex(double value);

nlohmann::ordered_json to_json(const Certificate& certificate, const std::vector<std::string>& disagreements);

/// A Markdown table: one line per function and group of ISAs with equal bits.
std::string to_markdown(const Certificate& certificate);

/// One line of text.
std::string to_text(const Entry& entry);

}  // namespace swiglu::certify
