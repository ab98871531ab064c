// oneDNN as a first user writes it: one primitive per step, weights reordered to what each matmul wants. `plain` is the
// SwiGLU block, `ffn2-onednn` the two-matrix block with silu as a post-op (its strong form).

#include "implementations/implementation.hpp"
#include "implementations/onednn_missing.hpp"

#ifdef BENCH_HAVE_ONEDNN
#include <map>

#include "onednn/plan.hpp"
#include "onednn/runtime.hpp"
#include "onednn/weight_matrix.hpp"
#include "round_up.hpp"
#include "weight_views.hpp"

namespace swiglu::bench {
namespace {

using onednn::cpu_engine;
using onednn::matrix_desc;
using onednn::WeightMatrix;

dnnl::memory view(std::size_t rows, std::size_t columns, const float* data) {
  return {matrix_desc(rows, columns, columns), cpu_engine(), const_cast<float*>(data)};
}

dnnl::matmul::primitive_desc describe(std::size_t rows, std::size_t in, std::size_t out, bool swish) {
  dnnl::primitive_attr attributes;
  if (swish) {
    dnnl::post_ops after;
    after.append_eltwise(dnnl::algorithm::eltwise_swish, 1.0f, 0.0f);
    attributes.set_post_ops(after);
  }
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
  const dnnl::memory::desc any({static_cast<dnnl::memory::dim>(in), static_cast<dnnl::memory::dim>(out)},
                               dnnl::memory::data_type::f32, dnnl::memory::format_tag::any);
  return {cpu_engine(), matrix_desc(rows, in, in), any, matrix_desc(rows, out, out), attributes};
}

/// One matmul for one number of rows.
struct Matmul {
  dnnl::matmul primitive;
  dnnl::memory weights;
  std::string name;

  Matmul(std::size_t rows, std::size_t in, std::size_t out, WeightMatrix& matrix, bool swish = false) {
    const auto wanted = describe(rows, in, out, swish);
    primitive = dnnl::matmul(wanted);
    weights = matrix.in_layout(wanted.weights_desc());
    name = std::string(wanted.impl_info_str()) + " " + onednn::layout_name(wanted.weights_desc());
  }

  void run(dnnl::stream& stream, const dnnl::memory& from, const dnnl::memory& to) const {
    primitive.execute(stream, {{DNNL_ARG_SRC, from}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, to}});
  }
};

class PlainObject final : public BlockObject {
 public:
  PlainObject(const ObjectRequest& request, bool gated)
      : d_(request.d_model), h_(request.d_ff), threads_(request.threads), gated_(gated), stream_(cpu_engine()) {
    const onednn::ThreadScope scope(threads_);
    const BlockWeights weights = resolve_weights(d_, h_, request.weights);
    constexpr std::size_t kRows = 64;  // whose layouts are made now; other T may want others
    const auto add = [&](const StridedMatrix& matrix, std::size_t in, std::size_t out, bool swish) {
      matrices_.emplace_back(in, out, std::vector{matrix}, std::vector<StridedVector>{},
                             describe(kRows, in, out, swish).weights_desc());
    };
    add(weights.gate, d_, h_, !gated_);
    if (gated_) add(weights.up, d_, h_, false);
    add(weights.down, h_, d_, false);
  }

  std::size_t workspace_bytes(std::size_t T) const override { return (gated_ ? 2 : 1) * part(T) * sizeof(float) + 64; }

  std::size_t packed_bytes() const override {
    std::size_t bytes = 0;
    for (const WeightMatrix& matrix : matrices_) bytes += matrix.bytes();
    return bytes;
  }

  void forward(const float* x, float* y, std::size_t T, const Workspace& workspace) override {
    const onednn::ThreadScope scope(threads_);
    const Plan& plan = plan_for(T);
    auto* gate = static_cast<float*>(workspace.data());
    const dnnl::memory in = view(T, d_, x), g = view(T, h_, gate), out = view(T, d_, y);
    plan.matmuls.front().run(stream_, in, g);
    if (gated_) {
      const dnnl::memory u = view(T, h_, gate + part(T));
      plan.matmuls[1].run(stream_, in, u);
      plan.swish.execute(stream_, {{DNNL_ARG_SRC, g}, {DNNL_ARG_DST, g}});
      plan.multiply.execute(stream_, {{DNNL_ARG_SRC_0, g}, {DNNL_ARG_SRC_1, u}, {DNNL_ARG_DST, g}});
    }
    plan.matmuls.back().run(stream_, g, out);
    stream_.wait();
  }

  std::string detail(std::size_t T) const override {
    std::string text;
    if (const auto plan = plans_.find(T); plan != plans_.end()) {
      for (const Matmul& matmul : plan->second.matmuls) text += (text.empty() ? "" : "; ") + matmul.name;
    }
    return text;
  }

 private:
  struct Plan {
    std::vector<Matmul> matmuls;
    dnnl::eltwise_forward swish;
    dnnl::binary multiply;
  };

  std::size_t part(std::size_t T) const { return round_up(T * h_, 16); }  // floats of one product

  const Plan& plan_for(std::size_t T) {
    if (const auto known = plans_.find(T); known != plans_.end()) return known->second;
    Plan plan;
    plan.matmuls.emplace_back(T, d_, h_, matrices_.front(), !gated_);
    if (gated_) plan.matmuls.emplace_back(T, d_, h_, matrices_[1]);
    plan.matmuls.emplace_back(T, h_, d_, matrices_.back());
    if (gated_) {
      const auto rows = matrix_desc(T, h_, h_);
      plan.swish = dnnl::eltwise_forward(
          {cpu_engine(), dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_swish, rows, rows, 1.0f, 0.0f});
      plan.multiply = dnnl::binary({cpu_engine(), dnnl::algorithm::binary_mul, rows, rows, rows});
    }
    return plans_.emplace(T, std::move(plan)).first->second;
  }

  std::size_t d_, h_, threads_;
  bool gated_;
  dnnl::stream stream_;
  std::vector<WeightMatrix> matrices_;
  std::map<std::size_t, Plan> plans_;
};

template <bool GATED>
std::unique_ptr<BlockObject> create(const ObjectRequest& request) {
  return onednn::translating_errors([&] { return std::make_unique<PlainObject>(request, GATED); });
}

}  // namespace
}  // namespace swiglu::bench
#else
namespace swiglu::bench {
namespace {

template <bool GATED>
std::unique_ptr<BlockObject> create(const ObjectRequest&) {
  throw Unsupported(onednn_missing());
}

}  // namespace
}  // namespace swiglu::bench
#endif

namespace swiglu::bench {

const Implementation kOnednnPlain = {"onednn-plain", nullptr,     "oneDNN: three matmuls, swish and multiply apart",
                                     Family::ffn,    Role::rival, true,
                                     onednn_missing, create<true>};
const Implementation kFfn2Onednn = {"ffn2-onednn",  nullptr,      "the two-matrix block in oneDNN, silu as a post-op",
                                    Family::ffn2,   Role::ffn2,   true,
                                    onednn_missing, create<false>};

}  // namespace swiglu::bench
