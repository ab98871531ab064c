#pragma once

// One gated block with random weights, and the same weights in every layout the API takes.

#include <swiglu/feed_forward.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace swiglu::testing {

/// Which biases a block has; every combination is a case.
enum Biases : unsigned { kNoBias = 0, kGateBias = 1, kUpBias = 2, kDownBias = 4, kAllBiases = 7 };

/// Matrices are dense [out][in]; a bias that is absent is an empty vector.
struct BlockCase {
  std::size_t d_model = 0;
  std::size_t d_ff = 0;
  std::vector<float> gate, up, down;
  std::vector<float> gate_bias, up_bias, down_bias;

  Weights weights() const;  ///< separate, [out, in], dense; views into this object
};

/// Weights of standard deviation 1/sqrt(inputs), as trained models have: gates of a few units, y of order 1.
BlockCase random_block(std::size_t d_model, std::size_t d_ff, unsigned biases = kAllBiases, std::uint64_t seed = 1);

/// One way to hand over the weights of a block.
struct Layout {
  bool fused = false;
  GateUpLayout gate_up = GateUpLayout::halves_gate_first;
  Order gate_up_order = Order::out_in;
  Order down_order = Order::out_in;
  std::size_t padding = 0;  ///< elements between stored rows; they hold canaries

  std::string name() const;
};

/// Separate and the three fused layouts × both orders of gate/up × both orders of down × dense or padded.
std::vector<Layout> all_layouts();

/// A copy of a block's weights stored as `layout` says, with a view of it.
struct StoredWeights {
  std::vector<float> gate, up, gate_up, down, gate_bias, up_bias, gate_up_bias, down_bias;
  Weights view;  ///< points into the vectors, which survive a move
};
StoredWeights store(const BlockCase& block, const Layout& layout);

/// T rows of y = forward(x) with everything around it hostile: y and a workspace of exactly workspace_bytes(T) are
/// filled with NaN canaries before. x is dense.
std::vector<float> forward(const FeedForward& block, const std::vector<float>& x, std::size_t T);

/// The same with y += …, starting from y0.
std::vector<float> forward_accumulate(const FeedForward& block, const std::vector<float>& x, std::vector<float> y0,
                                      std::size_t T);

/// Options that force an ISA and one thread.
Options single_threaded(Isa isa);

}  // namespace swiglu::testing
