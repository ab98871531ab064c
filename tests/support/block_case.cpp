#include "support/block_case.hpp"

#include <cmath>

#include "support/bits.hpp"
#include "support/random.hpp"

namespace swiglu::testing {
namespace {

// Stores a dense [out][in] matrix as `order` says; rows are `padding` canaries apart.
std::vector<float> store_matrix(const std::vector<float>& dense, std::size_t out, std::size_t in, Order order,
                                std::size_t padding) {
  const std::size_t rows = order == Order::out_in ? out : in;
  const std::size_t width = order == Order::out_in ? in : out;
  std::vector<float> stored(rows * width + (rows - 1) * padding, canary());
  for (std::size_t o = 0; o < out; ++o) {
    for (std::size_t i = 0; i < in; ++i) {
      const std::size_t row = order == Order::out_in ? o : i;
      const std::size_t column = order == Order::out_in ? i : o;
      stored[row * (width + padding) + column] = dense[o * in + i];
    }
  }
  return stored;
}

MatrixView view_of(const std::vector<float>& stored, std::size_t out, std::size_t in, Order order,
                   std::size_t padding) {
  const std::size_t width = order == Order::out_in ? in : out;
  return {stored.data(), order, padding == 0 ? kDense : width + padding};
}

// Where a unit of gate (or up) goes along the fused output dimension.
std::size_t fused_unit(GateUpLayout layout, bool is_up, std::size_t unit, std::size_t d_ff) {
  switch (layout) {
    case GateUpLayout::halves_gate_first:
      return is_up ? d_ff + unit : unit;
    case GateUpLayout::halves_up_first:
      return is_up ? unit : d_ff + unit;
    case GateUpLayout::interleaved:
      break;
  }
  return 2 * unit + (is_up ? 1 : 0);
}

std::vector<float> fuse(GateUpLayout layout, const std::vector<float>& gate, const std::vector<float>& up,
                        std::size_t d_ff, std::size_t width) {
  std::vector<float> fused(2 * d_ff * width);
  for (std::size_t unit = 0; unit < d_ff; ++unit) {
    for (std::size_t i = 0; i < width; ++i) {
      fused[fused_unit(layout, false, unit, d_ff) * width + i] = gate.empty() ? 0.0f : gate[unit * width + i];
      fused[fused_unit(layout, true, unit, d_ff) * width + i] = up.empty() ? 0.0f : up[unit * width + i];
    }
  }
  return fused;
}

const float* data_or_null(const std::vector<float>& v) { return v.empty() ? nullptr : v.data(); }

}  // namespace

Weights BlockCase::weights() const {
  Weights w = Weights::separate({gate.data()}, {up.data()}, {down.data()});
  w.gate_bias = data_or_null(gate_bias);
  w.up_bias = data_or_null(up_bias);
  w.down_bias = data_or_null(down_bias);
  return w;
}

BlockCase random_block(std::size_t d_model, std::size_t d_ff, unsigned biases, std::uint64_t seed) {
  BlockCase block;
  block.d_model = d_model;
  block.d_ff = d_ff;
  const float in_scale = 1.5f / std::sqrt(static_cast<float>(d_model));
  const float out_scale = 1.5f / std::sqrt(static_cast<float>(d_ff));
  block.gate = random_floats(d_ff * d_model, 10 * seed + 1, in_scale);
  block.up = random_floats(d_ff * d_model, 10 * seed + 2, in_scale);
  block.down = random_floats(d_model * d_ff, 10 * seed + 3, out_scale);
  if (biases & kGateBias) block.gate_bias = random_floats(d_ff, 10 * seed + 4);
  if (biases & kUpBias) block.up_bias = random_floats(d_ff, 10 * seed + 5);
  if (biases & kDownBias) block.down_bias = random_floats(d_model, 10 * seed + 6);
  return block;
}

std::string Layout::name() const {
  const char* kinds[] = {"halves_gate_first", "halves_up_first", "interleaved"};
  const auto order_name = [](Order order) { return order == Order::out_in ? "out_in" : "in_out"; };
  return std::string(fused ? kinds[static_cast<int>(gate_up)] : "separate") + " " + order_name(gate_up_order) +
         ", down " + order_name(down_order) + ", padding " + std::to_string(padding);
}

std::vector<Layout> all_layouts() {
  std::vector<Layout> layouts;
  for (int kind = -1; kind < 3; ++kind) {
    for (Order gate_up_order : {Order::out_in, Order::in_out}) {
      for (Order down_order : {Order::out_in, Order::in_out}) {
        for (std::size_t padding : {0, 5}) {
          layouts.push_back(
              {kind >= 0, static_cast<GateUpLayout>(kind < 0 ? 0 : kind), gate_up_order, down_order, padding});
        }
      }
    }
  }
  return layouts;
}

StoredWeights store(const BlockCase& block, const Layout& layout) {
  const std::size_t d = block.d_model, h = block.d_ff;
  StoredWeights s;
  s.down = store_matrix(block.down, d, h, layout.down_order, layout.padding);
  const MatrixView down = view_of(s.down, d, h, layout.down_order, layout.padding);
  if (layout.fused) {
    const std::vector<float> dense = fuse(layout.gate_up, block.gate, block.up, h, d);
    s.gate_up = store_matrix(dense, 2 * h, d, layout.gate_up_order, layout.padding);
    s.view = Weights::fused_gate_up(layout.gate_up, view_of(s.gate_up, 2 * h, d, layout.gate_up_order, layout.padding),
                                    down);
    if (!block.gate_bias.empty() || !block.up_bias.empty()) {
      s.gate_up_bias = fuse(layout.gate_up, block.gate_bias, block.up_bias, h, 1);
      s.view.gate_up_bias = s.gate_up_bias.data();
    }
  } else {
    s.gate = store_matrix(block.gate, h, d, layout.gate_up_order, layout.padding);
    s.up = store_matrix(block.up, h, d, layout.gate_up_order, layout.padding);
    s.view = Weights::separate(view_of(s.gate, h, d, layout.gate_up_order, layout.padding),
                               view_of(s.up, h, d, layout.gate_up_order, layout.padding), down);
    s.gate_bias = block.gate_bias;
    s.up_bias = block.up_bias;
    s.view.gate_bias = data_or_null(s.gate_bias);
    s.view.up_bias = data_or_null(s.up_bias);
  }
  s.down_bias = block.down_bias;
  s.view.down_bias = data_or_null(s.down_bias);
  return s;
}

std::vector<float> forward(const FeedForward& block, const std::vector<float>& x, std::size_t T) {
  std::vector<float> y(T * block.d_model(), canary());
  std::vector<float> workspace((block.workspace_bytes(T) + sizeof(float) - 1) / sizeof(float), canary());
  block.forward({x.data()}, {y.data()}, T, workspace.data(), block.workspace_bytes(T));
  return y;
}

std::vector<float> forward_accumulate(const FeedForward& block, const std::vector<float>& x, std::vector<float> y0,
                                      std::size_t T) {
  std::vector<float> workspace((block.workspace_bytes(T) + sizeof(float) - 1) / sizeof(float), canary());
  block.forward({x.data()}, {y0.data()}, T, workspace.data(), block.workspace_bytes(T), true);
  return y0;
}

Options single_threaded(Isa isa) {
  Options options;
  options.isa = isa;
  options.threads = 1;
  return options;
}

}  // namespace swiglu::testing
