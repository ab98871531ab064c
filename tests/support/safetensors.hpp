#pragma once

// A reader for the little of the safetensors format that the tests need: BF16, F32 and F64 tensors.
// Format: 8 bytes length of the header (little-endian), JSON header, data; offsets count from the end of the header.

#include <cstddef>
#include <string>
#include <vector>

namespace swiglu::testing {

class Safetensors {
 public:
  /// Reads the whole file. Throws std::runtime_error that names the file if it cannot be read or is malformed.
  explicit Safetensors(const std::string& path);

  /// The tensor as float (BF16 or F32: exact). Throws std::runtime_error if there is none of this name, if it is not
  /// two-dimensional, of another type, or lies outside the file.
  std::vector<float> floats(const std::string& name, std::size_t* rows, std::size_t* columns) const;

  /// The same for F64.
  std::vector<double> doubles(const std::string& name, std::size_t* rows, std::size_t* columns) const;

  /// The one tensor name that ends in `suffix`. Throws std::runtime_error if there is none or several.
  std::string name_ending(const std::string& suffix) const;

 private:
  struct Tensor {
    std::string name, dtype;
    std::size_t rows, columns;
    std::size_t begin, end;  // bytes in file_
  };
  const Tensor& find(const std::string& name) const;

  std::string path_;
  std::vector<char> file_;
  std::vector<Tensor> tensors_;
};

}  // namespace swiglu::testing
