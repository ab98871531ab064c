#pragma once

// A weight matrix and its bias in the memory layouts that oneDNN's matmuls ask for.

#include <cstddef>
#include <dnnl.hpp>
#include <list>
#include <vector>

#include "memory/page_buffer.hpp"
#include "weight_views.hpp"

namespace swiglu::onednn {

/// One f32 matrix [in, out]. oneDNN names the layout it wants per matmul ("any"), and the wish may change with T; each
/// wanted layout is kept as a reordered copy (f32 to f32: exact), at most kMaxLayouts of them. oneDNN 3.2 gets one
/// blocked layout for all T under AVX-512 and two plain ones under AVX2 (plan.cpp).
/// The copies are on huge pages like the native backend's panels, so a comparison is not about page size.
/// Not thread-safe: the owner's plan cache locks.
class WeightMatrix {
 public:
  static constexpr std::size_t kMaxLayouts = 3;

  /// `parts` side by side along out (all with `in` input units), `biases` likewise; a missing bias beside a present one
  /// is zeros. `layout` is what the first copy looks like. Throws dnnl::error, std::bad_alloc.
  WeightMatrix(std::size_t in, std::size_t out_per_part, const std::vector<StridedMatrix>& parts,
               const std::vector<StridedVector>& biases, const dnnl::memory::desc& layout);

  /// Whether in_layout(layout) will work: it is there, or there is room for it.
  bool can_have(const dnnl::memory::desc& layout) const;
  /// A layout that is there.
  dnnl::memory::desc first_layout() const { return copies_.front().memory.get_desc(); }
  /// The weights in `layout`, reordered on first use. Needs can_have(layout).
  dnnl::memory in_layout(const dnnl::memory::desc& layout);

  bool has_bias() const { return !bias_.empty(); }
  dnnl::memory bias();

  std::size_t bytes() const;       ///< held for weights and bias
  std::size_t huge_bytes() const;  ///< of them on huge pages

 private:
  struct Copy {
    PageBuffer buffer;
    dnnl::memory memory;
  };
  dnnl::memory add_copy(const dnnl::memory::desc& layout, const dnnl::memory& from);

  std::list<Copy> copies_;
  std::vector<float> bias_;
};

/// [rows, columns] with any strides.
dnnl::memory::desc matrix_desc(std::size_t rows, std::size_t columns, std::size_t row_stride,
                               std::size_t column_stride = 1);

}  // namespace swiglu::onednn
