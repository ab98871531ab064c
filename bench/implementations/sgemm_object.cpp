#include "implementations/sgemm_object.hpp"

#include <algorithm>

#include "clock.hpp"
#include "swiglu/elementwise.h"

namespace swiglu::bench {

SgemmObject::SgemmObject(const ObjectRequest& request, Product product, std::string detail)
    : d_(request.d_model),
      h_(request.d_ff),
      isa_(request.isa),
      executor_(request.executor),
      product_(std::move(product)),
      detail_(std::move(detail)),
      weights_(3 * d_ * h_ * sizeof(float)) {
  auto* at = static_cast<float*>(weights_.data());
  for (const MatrixView* matrix : {&request.weights.gate, &request.weights.up, &request.weights.down}) {
    at = std::copy_n(matrix->data, d_ * h_, at);  // dense [out][in]: source_weights.hpp
  }
}

std::size_t SgemmObject::workspace_bytes(std::size_t T) const { return T * 3 * h_ * sizeof(float); }

void SgemmObject::forward(const float* x, float* y, std::size_t T, const Workspace& workspace) {
  const auto* weights = static_cast<const float*>(weights_.data());
  auto* products = static_cast<float*>(workspace.data());
  float* hidden = products + T * 2 * h_;
  const double begin = now();
  product_(x, weights, products, T, d_, 2 * h_);
  const double stored = now();
  const auto activate = [&](std::size_t row, std::size_t rows) {
    silu_mul_rows(GateUpLayout::halves_gate_first, products + row * 2 * h_, 2 * h_, hidden + row * h_, h_, rows, h_,
                  isa_);
  };
  const std::size_t parts = std::min(T, executor_->concurrency());
  if (parts == 1) {
    activate(0, T);
  } else {
    const auto part = [&](std::size_t i) { activate(i * T / parts, (i + 1) * T / parts - i * T / parts); };
    executor_->parallel_for(
        parts, [](void* context, std::size_t i) { (*static_cast<decltype(&part)>(context))(i); },
        const_cast<void*>(static_cast<const void*>(&part)));
  }
  const double activated = now();
  product_(hidden, weights + 2 * d_ * h_, y, T, h_, d_);
  phases_ = {stored - begin, activated - stored, now() - activated};
}

}  // namespace swiglu::bench
