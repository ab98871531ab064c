#include "json.hpp"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <stdexcept>

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

Json converted(const nlohmann::ordered_json& from) {
  switch (from.type()) {
    case nlohmann::ordered_json::value_t::object: {
      Json to;
      for (const auto& [key, value] : from.items()) to.set(key, converted(value));
      return to;
    }
    case nlohmann::ordered_json::value_t::array: {
      Json to = Json::array();
      for (const auto& value : from) to.push(converted(value));
      return to;
    }
    case nlohmann::ordered_json::value_t::string:
      return from.get<std::string>();
    case nlohmann::ordered_json::value_t::boolean:
      return from.get<bool>();
    case nlohmann::ordered_json::value_t::number_float:
      return from.get<double>();
    case nlohmann::ordered_json::value_t::number_integer:
    case nlohmann::ordered_json::value_t::number_unsigned:
      return from.get<std::int64_t>();
    default:
      throw std::runtime_error("null is no value here");
  }
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

Json Json::parse(const std::string& text) {
  try {
    return converted(nlohmann::ordered_json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    const std::string what = error.what();  // "[json.exception.parse_error.101] parse error at line 3, …"
    throw std::runtime_error("not valid JSON: " +
                             what.substr(what.find("] ") == std::string::npos ? 0 : what.find("] ") + 2));
  }
}

const Json* Json::find(const std::string& key) const {
  const auto* object = std::get_if<Object>(&value_);
  if (object == nullptr) return nullptr;
  for (const auto& [name, value] : *object) {
    if (name == key) return &value;
  }
  return nullptr;
}

const Json& Json::at(const std::string& key) const {
  const Json* value = find(key);
  if (value == nullptr) throw std::runtime_error("no field '" + key + "'");
  return *value;
}

double Json::number(const std::string& key) const {
  const Json& value = at(key);
  if (const auto* integer = std::get_if<std::int64_t>(&value.value_)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value.value_)) return *number;
  throw std::runtime_error("field '" + key + "' is not a number");
}

const std::string& Json::text(const std::string& key) const {
  const auto* text = std::get_if<std::string>(&at(key).value_);
  if (text == nullptr) throw std::runtime_error("field '" + key + "' is not a text");
  return *text;
}

const std::vector<Json>& Json::elements() const {
  const auto* array = std::get_if<Array>(&value_);
  if (array == nullptr) throw std::runtime_error("not a list");
  return *array;
}

const std::vector<std::pair<std::string, Json>>& Json::fields() const {
  const auto* object = std::get_if<Object>(&value_);
  if (object == nullptr) throw std::runtime_error("not an object");
  return *object;
}

std::string Json::plain() const {
  const auto* text = std::get_if<std::string>(&value_);
  return text != nullptr ? *text : dump();
}

}  // namespace swiglu::bench
