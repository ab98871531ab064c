// The rival: the block as a good oneDNN user would write it (plan.hpp has the two forms).
//
// Measured with oneDNN 3.2 on a Zen 5 (cold weights, 1 and 2 threads, widths 576/1536 and 1024/2816, T = 1 .. 8192):
// - hidden in a buffer of its own: writing it over the gate half saves memory and gains at most 2 % on most points (6 %
//   at one), but costs up to 19 % at T = 4, because strided sources are slow for few rows (next point);
// - rows of x and y that are not dense take up to 1.5 times as long for T <= 8 and about 6 % longer at 16, so up to
//   there they are copied (kCopiedRows); at 32 .. 64 oneDNN takes the strides 4 .. 7 % faster than a copy;
// - accumulating by the sum post-op or by our own pass over y: mostly within 2 %, up to 9 % apart at noisy small T, so
//   the post-op;
// - blocks of 4096 rows: the same time per row as 8192 at once.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <sstream>

#include "backend.hpp"
#include "default_floating_point.hpp"
#include "dispatch/kernel_sets.hpp"
#include "glu.hpp"
#include "onednn/onednn_info.hpp"
#include "onednn/plan_cache.hpp"
#include "onednn/runtime.hpp"

namespace swiglu {
namespace {

using onednn::BlockShape;
using onednn::PlanKey;
using onednn::WeightMatrix;

constexpr std::size_t kMaxRows = 4096;   // per call of the primitives: bounds the workspace
constexpr std::size_t kCopiedRows = 16;  // up to here strided rows are copied
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kLayoutRows = 64;  // T whose wanted weight layout is made at construction
// silu·mul of this many elements takes about 10 µs on one thread, several times what starting an OpenMP team costs.
constexpr std::size_t kParallelElements = 32768;

/// Buffers inside the workspace, in bytes from its first aligned address.
struct WorkspaceLayout {
  std::size_t products, hidden, x, y, end;
};

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

WorkspaceLayout workspace_layout(const BlockShape& shape, std::size_t T) {
  const std::size_t rows = std::min(T, kMaxRows);
  const std::size_t copied = std::min(T, kCopiedRows);
  WorkspaceLayout layout{};
  layout.hidden = layout.products + aligned(rows * shape.product_columns() * sizeof(float));
  layout.x = layout.hidden + aligned(rows * shape.d_ff * sizeof(float));
  layout.y = layout.x + aligned(copied * shape.d_model * sizeof(float));
  layout.end = layout.y + aligned(copied * shape.d_model * sizeof(float));
  return layout;
}

void copy_rows(const float* from, std::size_t from_stride, float* to, std::size_t to_stride, std::size_t rows,
               std::size_t columns) {
  for (std::size_t i = 0; i < rows; ++i)
    std::memcpy(to + i * to_stride, from + i * from_stride, columns * sizeof(float));
}

BlockShape shape_of(const BlockWeights& w, OneDnnForm form) {
  const bool gate = w.gate_bias.data != nullptr, up = w.up_bias.data != nullptr;
  return {w.d_model, w.d_ff, form, {form == OneDnnForm::wide ? gate || up : gate, up}, w.down_bias.data != nullptr};
}

std::vector<WeightMatrix> make_matrices(const BlockWeights& w, const BlockShape& shape) {
  const PlanKey key{kLayoutRows, shape.d_model, shape.d_model, false};
  const auto layout = [&](std::size_t index) { return onednn::describe_matmul(shape, key, index).weights_desc(); };
  std::vector<WeightMatrix> matrices;
  if (shape.form == OneDnnForm::wide) {
    matrices.emplace_back(w.d_model, w.d_ff, std::vector{w.gate, w.up}, std::vector{w.gate_bias, w.up_bias}, layout(0));
  } else {
    matrices.emplace_back(w.d_model, w.d_ff, std::vector{w.gate}, std::vector{w.gate_bias}, layout(0));
    matrices.emplace_back(w.d_model, w.d_ff, std::vector{w.up}, std::vector{w.up_bias}, layout(1));
  }
  matrices.emplace_back(w.d_ff, w.d_model, std::vector{w.down}, std::vector{w.down_bias}, layout(matrices.size()));
  return matrices;
}

/// body() with `threads` OpenMP threads, in the default floating-point mode, and with our kinds of exceptions. The mode
/// is the calling thread's: OpenMP's others are oneDNN's to run, and keep the one that they were created in.
template <class Body>
auto run_onednn(std::size_t threads, const Body& body) {
  const DefaultFloatingPoint mode;
  const onednn::ThreadScope scope(threads);
  return onednn::translating_errors(body);
}

class OneDnnBackend final : public BlockBackend {
 public:
  OneDnnBackend(const BlockWeights& weights, const Options& options)
      : kernels_(kernel_set(options.isa)),
        glu_(bind_glu(kernels_, options.activation)),
        threads_(onednn::thread_count(options)),
        shape_(shape_of(weights, options.onednn_form)),
        plans_(shape_, run_onednn(threads_, [&] { return make_matrices(weights, shape_); })) {}

  void forward(const ForwardCall& call) const override {
    run_onednn(threads_, [&] {
      // Equal blocks: 4097 rows as 4096 + 1 would read all weights again for a single row.
      const std::size_t blocks = (call.T + kMaxRows - 1) / kMaxRows;
      for (std::size_t b = 0, first = 0; b < blocks; ++b) {
        const std::size_t rows = (call.T - first + blocks - b - 1) / (blocks - b);
        forward_rows(call, first, rows);
        first += rows;
      }
    });
  }

  std::size_t workspace_bytes(std::size_t T) const noexcept override {
    return T == 0 ? 0 : workspace_layout(shape_, T).end + kAlignment - alignof(float);
  }

  std::size_t packed_bytes() const noexcept override {
    std::size_t bytes = 0;
    plans_.for_each_matrix([&](const WeightMatrix& matrix) { bytes += matrix.bytes(); });
    return bytes;
  }
  std::size_t threads() const noexcept override { return threads_; }
  Isa isa() const noexcept override { return kernels_.isa; }

  std::string explain() const override {
    const onednn::LoadedLibrary library = *onednn::loaded_library();
    std::size_t huge = 0;
    plans_.for_each_matrix([&](const WeightMatrix& matrix) { huge += matrix.huge_bytes(); });
    std::ostringstream text;
    text << "backend onednn: oneDNN " << library.version << " (" << library.commit << "), form "
         << (shape_.form == OneDnnForm::wide ? "wide" : "post_ops") << ", f32 arithmetic strict, " << threads_
         << (threads_ == 1 ? " thread\n" : " OpenMP threads\n");
    text << "oneDNN's effective ISA: " << library.effective_isa << "; activation and product: ";
    if (shape_.form == OneDnnForm::wide)
      text << "our kernels, " << to_string(kernels_.isa) << "\n";
    else
      text << "oneDNN's post-ops\n";
    const std::string note = onednn::isa_limit_note(kernels_.isa);
    if (!note.empty()) text << note << "\n";
    text << "packed weights: " << packed_bytes() << " bytes, " << huge << " of them on huge pages; at most "
         << WeightMatrix::kMaxLayouts << " layouts per matrix, primitives of the last " << onednn::PlanCache::kPlans
         << " shapes kept\nnot real-time safe: a new T compiles primitives; bits of a row may depend on T\n";
    return text.str();
  }

 private:
  void forward_rows(const ForwardCall& call, std::size_t first, std::size_t rows) const {
    const WorkspaceLayout layout = workspace_layout(shape_, rows);
    const auto address = reinterpret_cast<std::uintptr_t>(call.workspace);
    auto* base = static_cast<unsigned char*>(call.workspace) + (aligned(address) - address);
    const auto buffer = [&](std::size_t offset) { return reinterpret_cast<float*>(base + offset); };

    const std::size_t d_model = shape_.d_model;
    const float* x = call.x + first * call.x_stride;
    float* y = call.y + first * call.y_stride;
    PlanKey key{rows, call.x_stride, call.y_stride, call.accumulate};
    // A single row has no stride: one plan for all.
    if (rows == 1) key.x_stride = key.y_stride = d_model;
    const bool copies = rows <= kCopiedRows;
    const bool copy_x = copies && key.x_stride != d_model, copy_y = copies && key.y_stride != d_model;
    if (copy_x) {
      copy_rows(x, call.x_stride, buffer(layout.x), d_model, rows, d_model);
      x = buffer(layout.x);
      key.x_stride = d_model;
    }
    float* target = y;
    if (copy_y) {
      target = buffer(layout.y);
      key.y_stride = d_model;
      if (call.accumulate) copy_rows(y, call.y_stride, target, d_model, rows, d_model);
    }

    float* products = buffer(layout.products);
    float* hidden = buffer(layout.hidden);
    const onednn::Plan::Lease plan(plans_.find_or_make(key));
    plan->run_gate_up(x, products, hidden);
    if (shape_.form == OneDnnForm::wide) multiply_halves(products, hidden, rows);
    plan->run_down(hidden, target);
    if (copy_y) copy_rows(target, d_model, y, call.y_stride, rows, d_model);
  }

  void multiply_halves(const float* products, float* hidden, std::size_t rows) const {
    const std::size_t d_ff = shape_.d_ff;
    onednn::for_each_row(rows, rows * d_ff < kParallelElements ? 1 : threads_, [&](std::size_t row) {
      const DefaultFloatingPoint mode;
      const float* gate = products + row * 2 * d_ff;
      glu_.kernel.forward(gate, gate + d_ff, hidden + row * d_ff, d_ff, glu_.parameters);
    });
  }

  const kernels::KernelSet& kernels_;
  kernels::Glu glu_;
  std::size_t threads_;
  BlockShape shape_;
  mutable onednn::PlanCache plans_;
};

}  // namespace

std::unique_ptr<BlockBackend> make_onednn_backend(const BlockWeights& weights, const Options& options) {
  onednn::limit_isa(options.isa);
  return std::make_unique<OneDnnBackend>(weights, options);
}

}  // namespace swiglu
