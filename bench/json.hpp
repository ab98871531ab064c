#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace swiglu::bench {

/// A JSON value; objects keep the order of insertion. Numbers that are not finite cannot be written (JSON has none):
/// set() leaves such a field out and remembers its name in first_non_finite(), so that a row can be marked INVALID.
class Json {
 public:
  static Json object() { return Json(Object{}); }
  static Json array() { return Json(Array{}); }

  Json() : value_(Object{}) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  Json(bool flag) : value_(flag) {}
  template <class Number, std::enable_if_t<std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>, int> = 0>
  Json(Number number) : value_(convert(number)) {}

  Json& set(const std::string& key, Json value);
  Json& push(Json value);
  std::size_t size() const;
  const std::string& first_non_finite() const { return first_non_finite_; }

  /// Reads a JSON text. Throws std::runtime_error that says where it is broken.
  static Json parse(const std::string& text);

  // Reading, for what came from parse(). A missing field or one of another kind throws std::runtime_error with its
  // name.
  const Json* find(const std::string& key) const;  ///< null if there is none, or this is no object
  const Json& at(const std::string& key) const;
  double number(const std::string& key) const;
  double number_or(const std::string& key, double other) const { return find(key) != nullptr ? number(key) : other; }
  const std::string& text(const std::string& key) const;
  const std::vector<Json>& elements() const;                        ///< of an array
  const std::vector<std::pair<std::string, Json>>& fields() const;  ///< of an object
  std::string plain() const;                                        ///< a string as it is, anything else as dump()

  /// indent < 0: one line.
  void write(std::ostream& out, int indent = 0) const;
  std::string dump() const;  ///< one line

 private:
  using Object = std::vector<std::pair<std::string, Json>>;
  using Array = std::vector<Json>;
  explicit Json(Object object) : value_(std::move(object)) {}
  explicit Json(Array array) : value_(std::move(array)) {}

  template <class Number>
  static auto convert(Number number) {
    if constexpr (std::is_floating_point_v<Number>) {
      return static_cast<double>(number);
    } else {
      return static_cast<std::int64_t>(number);
    }
  }

  std::variant<bool, std::int64_t, double, std::string, Array, Object> value_;
  std::string first_non_finite_;
};

}  // namespace swiglu::bench
