#include "support/real_layer.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "support/safetensors.hpp"

namespace swiglu::testing {

std::string real_layer_path(int layer) {
  char file[64];
  std::snprintf(file, sizeof file, "layer_%02d.safetensors", layer);
  if (layer == 11) return std::string(SWIGLU_TEST_DATA) + "/" + file;
  const char* folder = std::getenv("SWIGLU_DATA_DIR");
  return std::string(folder != nullptr ? folder : SWIGLU_DEFAULT_DATA_DIR) + "/smollm2/" + file;
}

RealLayer load_real_layer(const std::string& path) {
  const Safetensors file(path);
  const auto require = [&](bool ok, const char* what) {
    if (!ok) throw std::runtime_error(path + ": " + what);
  };
  RealLayer layer;
  BlockCase& block = layer.block;
  std::size_t rows, columns;
  block.gate = file.floats(file.name_ending("gate_proj.weight"), &block.d_ff, &block.d_model);
  block.up = file.floats(file.name_ending("up_proj.weight"), &rows, &columns);
  require(rows == block.d_ff && columns == block.d_model, "up_proj and gate_proj differ in shape");
  block.down = file.floats(file.name_ending("down_proj.weight"), &rows, &columns);
  require(rows == block.d_model && columns == block.d_ff, "down_proj has the wrong shape");
  layer.x = file.floats("x", &layer.T, &columns);
  require(columns == block.d_model, "x has the wrong width");
  layer.y = file.doubles("y", &rows, &columns);
  require(rows == layer.T && columns == block.d_model, "y has the wrong shape");
  return layer;
}

std::vector<double> token_errors(const RealLayer& layer, const std::vector<float>& y) {
  const std::size_t d = layer.block.d_model;
  std::vector<double> errors;
  for (std::size_t t = 0; t < layer.T; ++t) {
    double difference = 0, norm = 0;
    for (std::size_t i = t * d; i < (t + 1) * d; ++i) {
      difference += (y[i] - layer.y[i]) * (y[i] - layer.y[i]);
      norm += layer.y[i] * layer.y[i];
    }
    errors.push_back(std::sqrt(difference / norm));
  }
  return errors;
}

}  // namespace swiglu::testing
