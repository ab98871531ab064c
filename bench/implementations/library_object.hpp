#pragma once

#include "implementations/implementation.hpp"

namespace swiglu::bench {

/// A FeedForward of the library as a BlockObject.
class LibraryObject : public BlockObject {
 public:
  LibraryObject(const ObjectRequest& request, const Options& options)
      : block_(request.d_model, request.d_ff, request.weights, options) {}
  const FeedForward& block() const { return block_; }

  std::size_t workspace_bytes(std::size_t T) const override { return block_.workspace_bytes(T); }
  std::size_t packed_bytes() const override { return block_.packed_bytes(); }
  void forward(const float* x, float* y, std::size_t T, const Workspace& workspace) override {
    block_.forward({x}, {y}, T, workspace);
  }
  std::string detail(std::size_t) const override {
    std::string line;
    for (const char c : block_.explain()) line += c == '\n' ? std::string("; ") : std::string(1, c);
    return line;
  }

 protected:
  FeedForward block_;
};

}  // namespace swiglu::bench
