#include "onednn/weight_matrix.hpp"

#include <algorithm>

#include "onednn/runtime.hpp"

namespace swiglu::onednn {
namespace {

void reorder(dnnl::memory from, dnnl::memory to) {
  dnnl::primitive_attr exact;
  exact.set_fpmath_mode(dnnl::fpmath_mode::strict);
  dnnl::stream stream(cpu_engine());
  dnnl::reorder(from, to, exact).execute(stream, from, to);
  stream.wait();
}

dnnl::memory view_of(const StridedMatrix& matrix, std::size_t in, std::size_t out) {
  // oneDNN takes the source of a reorder as void*, and only reads it.
  return {matrix_desc(in, out, matrix.in_stride, matrix.out_stride), cpu_engine(), const_cast<float*>(matrix.data)};
}

/// Two parts that already are one matrix (the halves of a fused gate_up).
bool adjacent(const StridedMatrix& a, const StridedMatrix& b, std::size_t a_out) {
  return b.data == a.at(a_out, 0) && a.out_stride == b.out_stride && a.in_stride == b.in_stride;
}

/// Copies the parts into one dense matrix at `to`, stored in the order of the first. Not by oneDNN: where source and
/// destination have equal strides, the reorder of 3.7.2 copies the gaps between rows too, over the other part.
StridedMatrix place_side_by_side(const std::vector<StridedMatrix>& parts, std::size_t in, std::size_t out_per_part,
                                 float* to) {
  const bool out_rows = parts.front().in_stride == 1;
  const StridedMatrix whole{to, out_rows ? in : 1, out_rows ? 1 : parts.size() * out_per_part};
  for (std::size_t p = 0; p < parts.size(); ++p) {
    float* corner = to + p * out_per_part * whole.out_stride;
    const std::size_t rows = out_rows ? out_per_part : in, columns = out_rows ? in : out_per_part;
    for (std::size_t r = 0; r < rows; ++r) {
      float* row = corner + r * (out_rows ? whole.out_stride : whole.in_stride);
      for (std::size_t c = 0; c < columns; ++c) row[c] = out_rows ? *parts[p].at(r, c) : *parts[p].at(c, r);
    }
  }
  return whole;
}

}  // namespace

dnnl::memory::desc matrix_desc(std::size_t rows, std::size_t columns, std::size_t row_stride,
                               std::size_t column_stride) {
  const auto dim = [](std::size_t n) { return static_cast<dnnl::memory::dim>(n); };
  return {
      {dim(rows), dim(columns)}, dnnl::memory::data_type::f32, dnnl::memory::dims{dim(row_stride), dim(column_stride)}};
}

WeightMatrix::WeightMatrix(std::size_t in, std::size_t out_per_part, const std::vector<StridedMatrix>& parts,
                           const std::vector<StridedVector>& biases, const dnnl::memory::desc& layout) {
  const std::size_t out = out_per_part * parts.size();
  if (parts.size() == 1 || (parts.size() == 2 && adjacent(parts[0], parts[1], out_per_part))) {
    add_copy(layout, view_of(parts[0], in, out));
  } else {
    PageBuffer side_by_side(in * out * sizeof(float));
    add_copy(layout,
             view_of(place_side_by_side(parts, in, out_per_part, static_cast<float*>(side_by_side.data())), in, out));
  }
  if (std::any_of(biases.begin(), biases.end(), [](const StridedVector& b) { return b.data != nullptr; })) {
    bias_.reserve(out);
    for (const StridedVector& bias : biases)
      for (std::size_t i = 0; i < out_per_part; ++i) bias_.push_back(bias.value_or_zero(i));
  }
}

bool WeightMatrix::can_have(const dnnl::memory::desc& layout) const {
  return copies_.size() < kMaxLayouts ||
         std::any_of(
             copies_.begin(), copies_.end(), [&](const Copy& copy) { return copy.memory.get_desc() == layout; });
}

dnnl::memory WeightMatrix::in_layout(const dnnl::memory::desc& layout) {
  for (const Copy& copy : copies_)
    if (copy.memory.get_desc() == layout) return copy.memory;
  return add_copy(layout, copies_.front().memory);
}

dnnl::memory WeightMatrix::add_copy(const dnnl::memory::desc& layout, const dnnl::memory& from) {
  PageBuffer buffer(layout.get_size());
  dnnl::memory memory(layout, cpu_engine(), buffer.data());
  reorder(from, memory);
  copies_.push_back({std::move(buffer), memory});
  return memory;
}

dnnl::memory WeightMatrix::bias() { return {matrix_desc(1, bias_.size(), bias_.size()), cpu_engine(), bias_.data()}; }

std::size_t WeightMatrix::bytes() const {
  std::size_t sum = bias_.size() * sizeof(float);
  for (const Copy& copy : copies_) sum += copy.buffer.size();
  return sum;
}

std::size_t WeightMatrix::huge_bytes() const {
  std::size_t sum = 0;
  for (const Copy& copy : copies_) sum += copy.buffer.huge_bytes();
  return sum;
}

}  // namespace swiglu::onednn
