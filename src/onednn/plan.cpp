#include "onednn/plan.hpp"

#include <algorithm>

#include "onednn/runtime.hpp"

namespace swiglu::onednn {
namespace {

constexpr int kMultiplySource = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;
constexpr std::size_t kTransposedRows = 128;

}  // namespace

dnnl::matmul::primitive_desc describe_matmul(const BlockShape& shape, const PlanKey& key, std::size_t index,
                                             const dnnl::memory::desc* weights) {
  const bool down = index == shape.gate_up_matmuls();
  const std::size_t in = down ? shape.d_ff : shape.d_model;
  const std::size_t out = down ? shape.d_model : shape.product_columns();

  dnnl::post_ops post_ops;
  if (down && key.accumulate) {
    post_ops.append_sum();
  } else if (!down && shape.form == OneDnnForm::post_ops) {
    if (index == 0)
      post_ops.append_eltwise(dnnl::algorithm::eltwise_swish, /*alpha=*/1.0f, /*beta=*/0.0f);
    else
      post_ops.append_binary(dnnl::algorithm::binary_mul, matrix_desc(key.rows, out, out));
  }
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(post_ops);
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);

  const dnnl::memory::desc x = matrix_desc(key.rows, in, down ? in : key.x_stride);
  const dnnl::memory::desc y = matrix_desc(key.rows, out, down ? key.y_stride : out);
  const dnnl::memory::desc any({static_cast<dnnl::memory::dim>(in), static_cast<dnnl::memory::dim>(out)},
                               dnnl::memory::data_type::f32, dnnl::memory::format_tag::any);
  const bool biased = down ? shape.down_bias : shape.gate_up_bias[index];
  const auto describe = [&](const dnnl::memory::desc& w) {
    return biased ? dnnl::matmul::primitive_desc(cpu_engine(), x, w, matrix_desc(1, out, out), y, attributes)
                  : dnnl::matmul::primitive_desc(cpu_engine(), x, w, y, attributes);
  };
  if (weights != nullptr) return describe(*weights);
  dnnl::matmul::primitive_desc wanted = describe(any);
  // Where oneDNN has only its plain gemm (AVX2 in 3.2) it wants [in, out]; [out, in] is 3 to 14 % faster for 256 rows
  // (576/1536, 1024/2816, 1 and 2 threads), even at 64, and 30 % slower for 16. The rival gets the better one.
  if (key.rows >= kTransposedRows && wanted.weights_desc() == matrix_desc(in, out, out))
    wanted = describe(matrix_desc(in, out, 1, in));
  return wanted;
}

std::string layout_name(const dnnl::memory::desc& weights) {
  std::string name;
  const auto blocks = weights.get_inner_blks();
  const auto dims = weights.get_inner_idxs();
  for (std::size_t b = 0; b < blocks.size(); ++b) name += std::to_string(blocks[b]) + (dims[b] == 0 ? "in" : "out");
  if (!name.empty()) return name;
  return weights.get_strides()[1] == 1 ? "plain [in, out]" : "plain [out, in]";
}

Plan::Plan(const BlockShape& shape, const PlanKey& key, std::vector<WeightMatrix>& matrices) {
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    Matmul matmul;
    matmul.desc = describe_matmul(shape, key, i);
    if (!matrices[i].can_have(matmul.desc.weights_desc())) {
      const dnnl::memory::desc layout = matrices[i].first_layout();
      matmul.desc = describe_matmul(shape, key, i, &layout);
    }
    matmul.primitive = dnnl::matmul(matmul.desc);
    matmul.weights = matrices[i].in_layout(matmul.desc.weights_desc());
    if (matrices[i].has_bias()) matmul.bias = matrices[i].bias();
    matmuls_.push_back(std::move(matmul));
  }
}

Plan::Context::Context(const Plan& plan) : plan_(plan), stream_(cpu_engine()) {
  const auto memory = [](const dnnl::memory::desc& desc) { return dnnl::memory(desc, cpu_engine(), nullptr); };
  const std::vector<Matmul>& matmuls = plan.matmuls_;
  x_ = memory(matmuls.front().desc.src_desc());
  products_ = memory(matmuls.front().desc.dst_desc());
  hidden_ = memory(matmuls.back().desc.src_desc());
  y_ = memory(matmuls.back().desc.dst_desc());

  std::size_t bytes = 1;
  for (const Matmul& matmul : matmuls) bytes = std::max(bytes, matmul.desc.scratchpad_desc().get_size());
  scratchpad_ = PageBuffer(bytes);
  scratchpad_memory_ =
      memory({{static_cast<dnnl::memory::dim>(bytes)}, dnnl::memory::data_type::u8, dnnl::memory::format_tag::a});
  scratchpad_memory_.set_data_handle(scratchpad_.data());

  for (std::size_t i = 0; i < matmuls.size(); ++i) {
    const bool down = i + 1 == matmuls.size();
    const bool multiplies = !down && i == 1;  // form post_ops: up, times what gate left in products
    std::vector<dnnl_exec_arg_t> arguments = {
        {DNNL_ARG_SRC, (down ? hidden_ : x_).get()},
        {DNNL_ARG_WEIGHTS, matmuls[i].weights.get()},
        {DNNL_ARG_DST, (down         ? y_
                        : multiplies ? hidden_
                                     : products_)
                           .get()},
        {DNNL_ARG_SCRATCHPAD, scratchpad_memory_.get()},
    };
    if (matmuls[i].bias) arguments.push_back({DNNL_ARG_BIAS, matmuls[i].bias.get()});
    if (multiplies) arguments.push_back({kMultiplySource, products_.get()});
    arguments_.push_back(std::move(arguments));
  }
}

void Plan::Context::execute(std::size_t index) {
  const std::vector<dnnl_exec_arg_t>& arguments = arguments_[index];
  dnnl::error::wrap_c_api(dnnl_primitive_execute(plan_.matmuls_[index].primitive.get(), stream_.get(),
                                                 static_cast<int>(arguments.size()), arguments.data()),
                          "could not execute a matmul");
}

void Plan::Context::run_gate_up(const float* x, float* products, float* hidden) {
  x_.set_data_handle(const_cast<float*>(x));  // a source: oneDNN only reads it
  products_.set_data_handle(products);
  hidden_.set_data_handle(hidden);
  for (std::size_t i = 0; i + 1 < arguments_.size(); ++i) execute(i);
}

void Plan::Context::run_down(float* hidden, float* y) {
  hidden_.set_data_handle(hidden);
  y_.set_data_handle(y);
  execute(arguments_.size() - 1);
  stream_.wait();
}

Plan::Lease::Lease(std::shared_ptr<Plan> plan) : plan_(std::move(plan)) {
  {
    const std::lock_guard<std::mutex> lock(plan_->mutex_);
    if (!plan_->idle_.empty()) {
      context_ = std::move(plan_->idle_.back());
      plan_->idle_.pop_back();
    }
  }
  if (!context_) context_ = std::make_unique<Context>(*plan_);
}

Plan::Lease::~Lease() {
  const std::lock_guard<std::mutex> lock(plan_->mutex_);
  plan_->idle_.push_back(std::move(context_));
}

}  // namespace swiglu::onednn
