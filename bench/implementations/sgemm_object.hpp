#pragma once

#include <functional>

#include "implementations/implementation.hpp"
#include "memory/page_buffer.hpp"

namespace swiglu::bench {

/// out[rows][n] = in[rows][k] · Wᵀ for W [n][k], all dense.
using Product =
    std::function<void(const float* in, const float* w, float* out, std::size_t rows, std::size_t k, std::size_t n)>;

/// The block on somebody's matrix product: one product of width 2·d_ff, our silu·mul over rows, the down product.
class SgemmObject : public BlockObject {
 public:
  SgemmObject(const ObjectRequest& request, Product product, std::string detail);

  std::size_t workspace_bytes(std::size_t T) const override;
  std::size_t packed_bytes() const override { return weights_.size(); }
  void forward(const float* x, float* y, std::size_t T, const Workspace& workspace) override;
  const Phases* phases() const override { return &phases_; }
  std::string detail(std::size_t) const override { return detail_; }

 private:
  std::size_t d_, h_;
  Isa isa_;
  std::shared_ptr<Executor> executor_;
  Product product_;
  std::string detail_;
  PageBuffer weights_;  // gate rows, up rows, down rows: [out][in] each
  Phases phases_;
};

}  // namespace swiglu::bench
