// What fusion buys: the same tiles, panels and threads as the library, but every product is stored before the next step
// reads it.
//
//     unfused   G = x·W_gate, U = x·W_up;   hidden = silu(G) ⊙ U, row by row;   y = hidden·W_down
//     ffn2      A = x·W1;                   hidden = silu(A);                   y = hidden·W2
//
// or another activation than silu, of ffn2 its gate factor alone.
//
// Rows of 128 at a time, so that G and U stay in the last-level cache. From 192 rows on (384 on large_l1) two workers
// of the library take rows and not panels (driver/row_plan.hpp), those of this one do not: on two cores without a cache
// in common, that is up to 5 % of the difference there.

#include <algorithm>
#include <cstdint>

#include "clock.hpp"
#include "dispatch/kernel_sets.hpp"
#include "dispatch/tuning.hpp"
#include "driver/phase.hpp"
#include "driver/plan.hpp"
#include "glu.hpp"
#include "implementations/implementation.hpp"
#include "memory/page_buffer.hpp"
#include "packing/pack_panels.hpp"
#include "packing/pack_rows.hpp"
#include "round_up.hpp"
#include "weight_views.hpp"

namespace swiglu::bench {
namespace {

using kernels::kBlock;
using kernels::kPanelColumns;

/// Calls task(i) for i < count on the executor; in the calling thread if there is one.
template <class Task>
void parallel(Executor& executor, std::size_t count, const Task& task) {
  const auto call = [](void* context, std::size_t i) { (*static_cast<const Task*>(context))(i); };
  if (count == 1) {
    task(0);
  } else {
    executor.parallel_for(count, call, const_cast<Task*>(&task));
  }
}

/// A matrix in → out, packed into the panels of the down product, whose epilogue stores plain rows.
class PackedMatrix {
 public:
  PackedMatrix(const StridedMatrix& matrix, std::size_t in, std::size_t out) : in_(in), out_(out) {
    BlockWeights weights;
    weights.d_ff = in;
    weights.d_model = out;
    weights.down = matrix;
    const PackedLayout layout = packed_layout(out, in);
    panels_ = layout.down_panels;
    stride_ = layout.down_stride;
    buffer_ = PageBuffer(panels_ * stride_ * sizeof(float));
    pack_down(weights, 0, panels_, static_cast<float*>(buffer_.data()));
  }

  std::size_t panels() const { return panels_; }
  std::size_t bytes() const { return buffer_.size(); }

  PanelProduct product(const kernels::KernelSet& set, const kernels::Tuning& tuning) const {
    PanelProduct product;
    product.tuning = &tuning;
    product.table = &set.down;
    product.panels = static_cast<const float*>(buffer_.data());
    product.panel_stride = stride_;
    product.k = in_;
    product.x_width = round_up(in_, kBlock);
    product.columns = out_;
    return product;
  }

 private:
  std::size_t in_, out_, panels_ = 0, stride_ = 0;
  PageBuffer buffer_;
};

class UnfusedObject final : public BlockObject {
 public:
  UnfusedObject(const ObjectRequest& request, const Activation& activation, bool gated)
      : set_(kernel_set(request.isa)),
        tuning_(choose_tuning().of(set_)),
        glu_(bind_glu(set_, activation)),
        d_(request.d_model),
        h_(request.d_ff),
        executor_(request.executor),
        workers_(request.threads),
        gated_(gated),
        silu_(activation == Activation()) {
    if (!gated_ && (activation.limit != 0 || activation.beta2 != 0)) {
      throw Unsupported("ffn2 has no up values, and " + request.activation + " changes them");
    }
    if (!gated_ && !silu_) ones_.assign(h_, 1.0f);
    const BlockWeights weights = resolve_weights(d_, h_, request.weights);
    matrices_.emplace_back(weights.gate, d_, h_);
    if (gated_) matrices_.emplace_back(weights.up, d_, h_);
    matrices_.emplace_back(weights.down, h_, d_);
  }

  std::size_t workspace_bytes(std::size_t T) const override { return layout(T).floats * sizeof(float) + 64; }

  std::size_t packed_bytes() const override {
    std::size_t bytes = 0;
    for (const PackedMatrix& matrix : matrices_) bytes += matrix.bytes();
    return bytes;
  }

  void forward(const float* x, float* y, std::size_t T, const Workspace& workspace) override {
    phases_ = {};
    const EqualPieces blocks(T, kMaxBlockRows);
    for (std::size_t b = 0; b < blocks.count(); ++b) {
      rows(x + blocks.begin(b) * d_, y + blocks.begin(b) * d_, blocks.size(b), layout(T), workspace);
    }
  }

  const Phases* phases() const override { return &phases_; }

  std::string detail(std::size_t) const override {
    return std::string(gated_ ? "gate, up" : "x·W1") + " stored, " + (gated_ ? "act·mul" : "act") +
           " over rows, then down; tiles of " + std::to_string(set_.tile_rows) + " rows x 32 columns, " +
           swiglu::to_string(set_.isa);
  }

 private:
  struct Layout {
    std::size_t x = 0, products = 0, hidden = 0, partial = 0, partial_stride = 0, floats = 0;
  };

  std::size_t product_stride() const { return round_up(h_, kBlock) + kBlock; }  // never a power of two

  Layout layout(std::size_t T) const {
    const std::size_t rows = std::min(T, kMaxBlockRows);
    PackedBlock block;
    block.set = &set_;
    block.d_model = d_;
    block.d_ff = h_;
    Layout at;
    at.products = at.x + rows * round_up(d_, kBlock);
    at.hidden = at.products + (gated_ ? 2 : 1) * rows * product_stride();
    at.partial = at.hidden + rows * round_up(h_, kBlock);
    at.partial_stride = swiglu::workspace_layout(block, rows, workers_).partial_stride;
    at.floats = at.partial + workers_ * at.partial_stride;
    return at;
  }

  void pack(const float* from, std::size_t stride, std::size_t width, const RowTiles& tiles, std::size_t tile,
            float* to) const {
    const std::size_t row = tiles.begin(tile);
    pack_row_tile(from + row * stride, stride, tiles.size(tile), width, to + row * round_up(width, kBlock));
  }

  /// G (and U) of one tile → its tile of hidden; G is overwritten.
  void activate(float* products, std::size_t rows, const RowTiles& tiles, std::size_t tile, float* hidden) const {
    for (std::size_t i = tiles.begin(tile); i < tiles.begin(tile) + tiles.size(tile); ++i) {
      float* gate = products + i * product_stride();
      if (gated_) {
        glu_.kernel.forward(gate, gate + rows * product_stride(), gate, h_, glu_.parameters);
      } else if (silu_) {
        set_.functions[static_cast<std::size_t>(Function::silu)](gate, gate, h_);
      } else {
        glu_.kernel.forward(gate, ones_.data(), gate, h_, glu_.parameters);
      }
    }
    if (rows > 1) pack(products, product_stride(), h_, tiles, tile, hidden);
  }

  void rows(const float* x, float* y, std::size_t rows, const Layout& at, const Workspace& workspace) {
    auto* base = reinterpret_cast<float*>((reinterpret_cast<std::uintptr_t>(workspace.data()) + 63) / 64 * 64);
    float *products = base + at.products, *hidden = base + at.hidden;
    const RowTiles tiles(rows, set_.tile_rows, set_.tall_rows);
    const double begin = now();
    const float* x_tiles = x;  // a tile of one row is the row itself
    if (rows > 1) {
      parallel(*executor_, tiles.count(), [&](std::size_t t) { pack(x, d_, d_, tiles, t, base + at.x); });
      x_tiles = base + at.x;
    }
    const auto multiply = [&](const PackedMatrix& matrix, const float* in, float* out, std::size_t stride) {
      PanelProduct product = matrix.product(set_, tuning_);
      product.x = in;
      product.tiles = tiles;
      product.out = out;
      product.out_row_stride = stride;
      run_phase(product, matrix.panels(), base + at.partial, at.partial_stride, rows, executor_.get(), workers_);
    };
    for (std::size_t m = 0; m + 1 < matrices_.size(); ++m) {
      multiply(matrices_[m], x_tiles, products + m * rows * product_stride(), product_stride());
    }
    const double stored = now();
    parallel(*executor_, tiles.count(), [&](std::size_t t) { activate(products, rows, tiles, t, hidden); });
    const double activated = now();
    multiply(matrices_.back(), rows > 1 ? hidden : products, y, d_);
    phases_.gate_up += stored - begin;
    phases_.activation += activated - stored;
    phases_.down += now() - activated;
  }

  const kernels::KernelSet& set_;
  const kernels::Tuning& tuning_;
  const kernels::Glu glu_;
  std::size_t d_, h_;
  std::shared_ptr<Executor> executor_;
  std::size_t workers_;
  bool gated_, silu_;
  std::vector<float> ones_;  // up values of ffn2's activations other than silu, which have no kernel without them
  std::vector<PackedMatrix> matrices_;  // gate, up, down; or W1, W2
  Phases phases_;
};

template <bool GATED>
std::unique_ptr<BlockObject> create(const ObjectRequest& request) {
  const Activation activation = request.activation.empty() ? Activation() : parse_activation(request.activation);
  return std::make_unique<UnfusedObject>(request, activation, GATED);
}

}  // namespace

const Implementation kUnfused = {
    "unfused",       nullptr,      "our matmuls with every product stored, silu·mul between",
    Family::ffn,     Role::fusion, false,
    nothing_missing, create<true>, true};
const Implementation kFfn2 = {
    "ffn2",          nullptr,       "two matrices of the same parameters: our matmul, silu, matmul",
    Family::ffn2,    Role::ffn2,    false,
    nothing_missing, create<false>, true};

}  // namespace swiglu::bench
