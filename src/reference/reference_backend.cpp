#include <vector>

#include "backend.hpp"
#include "default_floating_point.hpp"
#include "reference/reference.hpp"

namespace swiglu {
namespace {

/// A dense [out][in] copy, made element by element: never through packing/, which this backend is there to judge.
std::vector<float> copy_matrix(const StridedMatrix& matrix, std::size_t out, std::size_t in) {
  std::vector<float> copy(out * in);
  for (std::size_t o = 0; o < out; ++o) {
    for (std::size_t i = 0; i < in; ++i) copy[o * in + i] = *matrix.at(o, i);
  }
  return copy;
}

/// Empty if there is no bias.
std::vector<float> copy_bias(const StridedVector& bias, std::size_t size) {
  std::vector<float> copy(bias.data == nullptr ? 0 : size);
  for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = bias.value_or_zero(i);
  return copy;
}

class ReferenceBackend final : public BlockBackend {
 public:
  ReferenceBackend(const BlockWeights& weights, const Activation& activation)
      : activation_(activation),
        gate_(copy_matrix(weights.gate, weights.d_ff, weights.d_model)),
        up_(copy_matrix(weights.up, weights.d_ff, weights.d_model)),
        down_(copy_matrix(weights.down, weights.d_model, weights.d_ff)),
        gate_bias_(copy_bias(weights.gate_bias, weights.d_ff)),
        up_bias_(copy_bias(weights.up_bias, weights.d_ff)),
        down_bias_(copy_bias(weights.down_bias, weights.d_model)) {
    own_.d_model = weights.d_model;
    own_.d_ff = weights.d_ff;
    own_.gate = {gate_.data(), weights.d_model, 1};
    own_.up = {up_.data(), weights.d_model, 1};
    own_.down = {down_.data(), weights.d_ff, 1};
    own_.gate_bias = {gate_bias_.empty() ? nullptr : gate_bias_.data(), 1};
    own_.up_bias = {up_bias_.empty() ? nullptr : up_bias_.data(), 1};
    own_.down_bias = {down_bias_.empty() ? nullptr : down_bias_.data(), 1};
  }

  void forward(const ForwardCall& call) const override {
    const DefaultFloatingPoint mode;
    // Blocks of rows, so that memory does not grow with T.
    constexpr std::size_t kRows = 64;
    for (std::size_t start = 0; start < call.T; start += kRows) {
      const std::size_t rows = call.T - start < kRows ? call.T - start : kRows;
      const std::vector<double> y =
          reference::forward(own_, activation_, call.x + start * call.x_stride, call.x_stride, rows).y;
      for (std::size_t t = 0; t < rows; ++t) {
        float* out = call.y + (start + t) * call.y_stride;
        for (std::size_t c = 0; c < own_.d_model; ++c) {
          const double sum = y[t * own_.d_model + c];
          out[c] = static_cast<float>(call.accumulate ? sum + out[c] : sum);
        }
      }
    }
  }

  std::size_t workspace_bytes(std::size_t) const noexcept override { return 0; }
  std::size_t packed_bytes() const noexcept override {
    return sizeof(float) *
           (gate_.size() + up_.size() + down_.size() + gate_bias_.size() + up_bias_.size() + down_bias_.size());
  }
  std::size_t threads() const noexcept override { return 1; }
  Isa isa() const noexcept override { return Isa::portable; }
  std::string explain() const override {
    return "backend reference: plain loops in double, rounded once to f32; one thread; forward() allocates\n";
  }

 private:
  Activation activation_;
  std::vector<float> gate_, up_, down_, gate_bias_, up_bias_, down_bias_;
  BlockWeights own_;  // views of the above
};

}  // namespace

std::unique_ptr<BlockBackend> make_reference_backend(const BlockWeights& weights, const Options& options) {
  return std::make_unique<ReferenceBackend>(weights, options.activation);
}

}  // namespace swiglu
