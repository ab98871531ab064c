#include "packing/pack_rows.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/kernel_set.hpp"

namespace swiglu {

void pack_row_tile(const float* rows, std::size_t stride, std::size_t mr, std::size_t width, float* tile) {
  using kernels::kBlock;
  const std::size_t whole = width / kBlock * kBlock;
  for (std::size_t i = 0; i < mr; ++i) {
    const float* row = rows + i * stride;
    float* out = tile + i * kBlock;
    for (std::size_t q = 0; q < whole; q += kBlock, out += mr * kBlock)
      std::memcpy(out, row + q, kBlock * sizeof(float));
    std::copy(row + whole, row + width, out);
  }
}

}  // namespace swiglu
