#include "json.hpp"

#include <cmath>
#include <cstdio>
#include <ostream>
#include <sstream>

namespace swiglu::bench {
namespace {

void write_string(std::ostream& out, const std::string& text) {
  out << '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out << '\\' << c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out << escape;
    } else {
      out << c;
    }
  }
  out << '"';
}

void line_break(std::ostream& out, int indent) {
  if (indent < 0) return;
  out << '\n';
  for (int i = 0; i < indent; ++i) out << ' ';
}

}  // namespace

Json& Json::set(const std::string& key, Json value) {
  auto& object = std::get<Object>(value_);
  if (const double* number = std::get_if<double>(&value.value_); number != nullptr && !std::isfinite(*number)) {
    if (first_non_finite_.empty()) first_non_finite_ = key;
    return *this;
  }
  for (auto& [name, old] : object) {
    if (name == key) {
      old = std::move(value);
      return *this;
    }
  }
  object.emplace_back(key, std::move(value));
  return *this;
}

Json& Json::push(Json value) {
  std::get<Array>(value_).push_back(std::move(value));
  return *this;
}

std::size_t Json::size() const {
  if (const auto* array = std::get_if<Array>(&value_)) return array->size();
  if (const auto* object = std::get_if<Object>(&value_)) return object->size();
  return 0;
}

void Json::write(std::ostream& out, int indent) const {
  const int inner = indent < 0 ? -1 : indent + 1;
  if (const auto* flag = std::get_if<bool>(&value_)) {
    out << (*flag ? "true" : "false");
  } else if (const auto* integer = std::get_if<std::int64_t>(&value_)) {
    out << *integer;
  } else if (const auto* number = std::get_if<double>(&value_)) {
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", std::isfinite(*number) ? *number : 0.0);
    out << text;
  } else if (const auto* text = std::get_if<std::string>(&value_)) {
    write_string(out, *text);
  } else if (const auto* array = std::get_if<Array>(&value_)) {
    out << '[';
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (i > 0) out << ',';
      line_break(out, inner);
      (*array)[i].write(out, -1);  // one row per line: a results file stays greppable
    }
    if (!array->empty()) line_break(out, indent);
    out << ']';
  } else {
    const auto& object = std::get<Object>(value_);
    out << '{';
    for (std::size_t i = 0; i < object.size(); ++i) {
      if (i > 0) out << ',';
      line_break(out, inner);
      write_string(out, object[i].first);
      out << ':';
      object[i].second.write(out, inner);
    }
    if (!object.empty()) line_break(out, indent);
    out << '}';
  }
}

std::string Json::dump() const {
  std::ostringstream out;
  write(out, -1);
  return out.str();
}

}  // namespace swiglu::bench
