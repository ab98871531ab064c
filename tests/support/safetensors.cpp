#include "support/safetensors.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace swiglu::testing {
namespace {

std::size_t bytes_per_element(const std::string& dtype) {
  if (dtype == "BF16") return 2;
  if (dtype == "F32") return 4;
  if (dtype == "F64") return 8;
  return 0;
}

bool ends_with(const std::string& text, const std::string& suffix) {
  return text.size() >= suffix.size() && text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

}  // namespace

Safetensors::Safetensors(const std::string& path) : path_(path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error(path + ": cannot be opened: " + std::strerror(errno));
  if (stream.peek(); stream.bad()) throw std::runtime_error(path + ": cannot be read");  // a folder
  file_.assign(std::istreambuf_iterator<char>(stream), {});
  const auto malformed = [&](const std::string& why) {
    return std::runtime_error(path + ": no safetensors file: " + why);
  };

  std::uint64_t header_bytes = 0;
  if (file_.size() < sizeof header_bytes) throw malformed("shorter than a header");
  std::memcpy(&header_bytes, file_.data(), sizeof header_bytes);
  if (header_bytes > file_.size() - sizeof header_bytes) throw malformed("header longer than the file");
  const std::size_t data = sizeof header_bytes + static_cast<std::size_t>(header_bytes);
  try {
    const auto header =
        nlohmann::json::parse(file_.begin() + sizeof header_bytes, file_.begin() + static_cast<std::ptrdiff_t>(data));
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") continue;
      const auto shape = entry.at("shape").get<std::vector<std::uint64_t>>();
      const auto offsets = entry.at("data_offsets").get<std::vector<std::uint64_t>>();
      Tensor t{name, entry.at("dtype").get<std::string>(), 0, 0, 0, 0};
      const std::uint64_t available = file_.size() - data;
      if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > available) {
        throw malformed("tensor " + name + " lies outside the file");
      }
      t.begin = data + static_cast<std::size_t>(offsets[0]);
      t.end = data + static_cast<std::size_t>(offsets[1]);
      if (shape.size() == 2) {
        t.rows = static_cast<std::size_t>(shape[0]);
        t.columns = static_cast<std::size_t>(shape[1]);
      }
      tensors_.push_back(t);
    }
  } catch (const nlohmann::json::exception& error) {
    throw malformed(std::string("bad header: ") + error.what());
  }
}

const Safetensors::Tensor& Safetensors::find(const std::string& name) const {
  for (const Tensor& t : tensors_) {
    if (t.name != name) continue;
    const std::size_t element = bytes_per_element(t.dtype);
    // A product of sizes that could overflow is ruled out by dividing.
    const std::size_t elements = element == 0 ? 0 : (t.end - t.begin) / element;
    if (elements == 0 || t.rows == 0 || elements / t.rows != t.columns || elements % t.rows != 0) {
      throw std::runtime_error(path_ + ": tensor " + name +
                               " is not a matrix of BF16, F32 or F64 that fills its bytes");
    }
    return t;
  }
  throw std::runtime_error(path_ + ": no tensor " + name);
}

std::string Safetensors::name_ending(const std::string& suffix) const {
  std::string found;
  for (const Tensor& t : tensors_) {
    if (!ends_with(t.name, suffix)) continue;
    if (!found.empty()) throw std::runtime_error(path_ + ": several tensors end in " + suffix);
    found = t.name;
  }
  if (found.empty()) throw std::runtime_error(path_ + ": no tensor ends in " + suffix);
  return found;
}

std::vector<float> Safetensors::floats(const std::string& name, std::size_t* rows, std::size_t* columns) const {
  const Tensor& t = find(name);
  *rows = t.rows;
  *columns = t.columns;
  std::vector<float> values(t.rows * t.columns);
  const char* bytes = file_.data() + t.begin;
  if (t.dtype == "F32") {
    std::memcpy(values.data(), bytes, values.size() * sizeof(float));
  } else if (t.dtype == "BF16") {
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint16_t high;
      std::memcpy(&high, bytes + 2 * i, sizeof high);
      const std::uint32_t bits = static_cast<std::uint32_t>(high) << 16;
      std::memcpy(&values[i], &bits, sizeof bits);
    }
  } else {
    throw std::runtime_error(path_ + ": tensor " + name + " is " + t.dtype + ", not BF16 or F32");
  }
  return values;
}

std::vector<double> Safetensors::doubles(const std::string& name, std::size_t* rows, std::size_t* columns) const {
  const Tensor& t = find(name);
  if (t.dtype != "F64") throw std::runtime_error(path_ + ": tensor " + name + " is " + t.dtype + ", not F64");
  *rows = t.rows;
  *columns = t.columns;
  std::vector<double> values(t.rows * t.columns);
  std::memcpy(values.data(), file_.data() + t.begin, values.size() * sizeof(double));
  return values;
}

}  // namespace swiglu::testing
