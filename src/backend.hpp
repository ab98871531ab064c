#pragma once

// What a backend is to FeedForward. Adding one: implement this, add a Backend value, and a case in make_backend().

#include <cstddef>
#include <memory>
#include <string>

#include "swiglu/feed_forward.h"
#include "weight_views.hpp"

namespace swiglu {

/// One validated call: T ≥ 1, pointers non-null, strides resolved (never kDense), nothing overlaps.
struct ForwardCall {
  const float* x;
  std::size_t x_stride;
  float* y;
  std::size_t y_stride;
  std::size_t T;
  void* workspace;  // at least workspace_bytes(T), element-aligned
  bool accumulate;
};

class BlockBackend {
 public:
  virtual ~BlockBackend() = default;
  virtual void forward(const ForwardCall& call) const = 0;
  virtual std::size_t workspace_bytes(std::size_t T) const noexcept = 0;
  virtual std::size_t packed_bytes() const noexcept = 0;
  virtual std::size_t threads() const noexcept = 0;
  virtual Isa isa() const noexcept = 0;
  virtual std::string explain() const = 0;
};

/// `weights` are validated; they are only read during this call.
std::unique_ptr<BlockBackend> make_native_backend(const BlockWeights& weights, const Options& options);
std::unique_ptr<BlockBackend> make_reference_backend(const BlockWeights& weights, const Options& options);
std::unique_ptr<BlockBackend> make_onednn_backend(const BlockWeights& weights, const Options& options);

}  // namespace swiglu
