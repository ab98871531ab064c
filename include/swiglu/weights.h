#pragma once

#include <cstddef>

#include "swiglu/export.h"

namespace swiglu {

/// Which dimension of a stored weight matrix comes first. It is always said, never guessed: a square matrix cannot be.
enum class Order {
  out_in,  ///< row = output unit, as PyTorch's nn.Linear stores it: W[out][in]
  in_out,  ///< row = input unit, as textbooks write x·W: W[in][out]
};

/// How gate and up share one matrix along the output dimension (2·d_ff units).
enum class GateUpLayout {
  halves_gate_first,  ///< units 0..d_ff-1 gate, then d_ff..2·d_ff-1 up (gate_up_proj, w13)
  halves_up_first,    ///< units 0..d_ff-1 up, then gate
  interleaved,        ///< unit 2j is gate j, unit 2j+1 is up j (gpt-oss)
};

/// Stride meaning "rows follow each other without a gap".
inline constexpr std::size_t kDense = static_cast<std::size_t>(-1);

/// A view of a caller's f32 matrix; nothing is owned. Only element alignment is assumed.
struct MatrixView {
  const float* data = nullptr;
  Order order = Order::out_in;
  std::size_t stride = kDense;  ///< elements from one stored row to the next; at least the row's width
};

/// The weights of one block, as views. They are read during construction of FeedForward only (packed into panels);
/// the caller may free or change them afterwards without effect.
///
/// Names elsewhere:  gate = gate_proj, w1, ffn_gate;  up = up_proj, w3, ffn_up, val_proj;
///                   down = down_proj, w2, ffn_down.
struct Weights {
  bool fused = false;  ///< gate and up come as one matrix, `gate_up`
  MatrixView gate;     ///< d_model → d_ff   (unused if fused)
  MatrixView up;       ///< d_model → d_ff   (unused if fused)
  MatrixView gate_up;  ///< d_model → 2·d_ff (used if fused)
  GateUpLayout gate_up_layout = GateUpLayout::halves_gate_first;
  MatrixView down;  ///< d_ff → d_model

  const float* gate_bias = nullptr;     ///< [d_ff] or null
  const float* up_bias = nullptr;       ///< [d_ff] or null
  const float* gate_up_bias = nullptr;  ///< [2·d_ff] as gate_up_layout says; only if fused, excludes the two above
  const float* down_bias = nullptr;     ///< [d_model] or null

  /// Three matrices.
  static Weights separate(MatrixView gate, MatrixView up, MatrixView down) {
    Weights w;
    w.gate = gate;
    w.up = up;
    w.down = down;
    return w;
  }

  /// Gate and up in one matrix.
  static Weights fused_gate_up(GateUpLayout layout, MatrixView gate_up, MatrixView down) {
    Weights w;
    w.fused = true;
    w.gate_up_layout = layout;
    w.gate_up = gate_up;
    w.down = down;
    return w;
  }
};

}  // namespace swiglu
