#pragma once

// The oneDNN primitives of one block for one number of rows, and what a running call needs beside them.
//
//     wide      products [rows, 2·d_ff] = x·[W_gate | W_up] + b
//               hidden = silu·mul of the halves;              y = hidden·W_down + b
//     post_ops  products [rows, d_ff] = swish(x·W_gate + b)
//               hidden = (x·W_up + b) ⊙ products;             y = hidden·W_down + b
//
// The source of ⊙ is never its destination: oneDNN would compute wrong numbers and report success (hard case O-05).

#include <cstddef>
#include <dnnl.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "memory/page_buffer.hpp"
#include "onednn/weight_matrix.hpp"
#include "swiglu/feed_forward.h"

namespace swiglu::onednn {

/// What the matmuls of a block look like, apart from the rows.
struct BlockShape {
  std::size_t d_model, d_ff;
  OneDnnForm form;
  bool gate_up_bias[2];  ///< of the gate-up matmuls: wide has one (either bias present), post_ops gate and up
  bool down_bias;

  std::size_t gate_up_matmuls() const { return form == OneDnnForm::wide ? 1 : 2; }
  std::size_t product_columns() const { return form == OneDnnForm::wide ? 2 * d_ff : d_ff; }
};

/// What a plan is made for.
struct PlanKey {
  std::size_t rows, x_stride, y_stride;
  bool accumulate;
  bool operator==(const PlanKey& other) const {
    return rows == other.rows && x_stride == other.x_stride && y_stride == other.y_stride &&
           accumulate == other.accumulate;
  }
};

/// Matmul `index` of the block: 0 .. gate_up_matmuls()-1, then the down matmul. `weights` null = the
/// layout that oneDNN wants (with one exception, see plan.cpp). f32 arithmetic is strict: ONEDNN_DEFAULT_FPMATH_MODE
/// cannot turn it into bf16 (hard case O-08).
dnnl::matmul::primitive_desc describe_matmul(const BlockShape& shape, const PlanKey& key, std::size_t index,
                                             const dnnl::memory::desc* weights = nullptr);

/// Name of the blocking, "16in64out", or "plain [in, out]" / "plain [out, in]", the faster dimension last.
std::string layout_name(const dnnl::memory::desc& weights);

/// Any number of threads may lease from one plan at once.
class Plan {
 public:
  /// `matrices`: one per matmul. Compiles the primitives and reorders weights if they want a new layout.
  Plan(const BlockShape& shape, const PlanKey& key, std::vector<WeightMatrix>& matrices);

  /// Memory objects, stream and scratchpad of one call in flight.
  class Context {
   public:
    explicit Context(const Plan& plan);
    void run_gate_up(const float* x, float* products, float* hidden);
    void run_down(float* hidden, float* y);

   private:
    void execute(std::size_t index);

    const Plan& plan_;
    dnnl::stream stream_;
    PageBuffer scratchpad_;  // ours, so that oneDNN allocates nothing while it runs
    dnnl::memory scratchpad_memory_, x_, products_, hidden_, y_;
    std::vector<std::vector<dnnl_exec_arg_t>> arguments_;
  };

  /// A context that nobody else uses; it goes back when the lease ends. At most as many exist as calls ran at once.
  class Lease {
   public:
    explicit Lease(std::shared_ptr<Plan> plan);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Context* operator->() const { return context_.get(); }

   private:
    std::shared_ptr<Plan> plan_;
    std::unique_ptr<Context> context_;
  };

 private:
  struct Matmul {
    dnnl::matmul::primitive_desc desc;
    dnnl::matmul primitive;
    dnnl::memory weights, bias;  // bias may be empty
  };
  std::vector<Matmul> matmuls_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Context>> idle_;
};

}  // namespace swiglu::onednn
