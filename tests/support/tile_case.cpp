#include "support/tile_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/bits.hpp"
#include "support/random.hpp"

namespace swiglu::testing {

using kernels::kBlock;
using kernels::kGateColumns;
using kernels::kPanelColumns;

namespace {

constexpr std::size_t kMaxStride = 4 * kPanelColumns + 64;

// Floats of a row tile up to and including its last valid element; what lies behind may not be read.
std::size_t tile_floats(std::size_t mr, std::size_t k) {
  return k == 0 ? 0 : (k - 1) / kBlock * mr * kBlock + (mr - 1) * kBlock + (k - 1) % kBlock + 1;
}

}  // namespace

std::vector<TileFunction> tile_functions(const kernels::KernelSet& set) {
  std::vector<TileFunction> functions;
  for (bool gate_up : {true, false}) {
    const kernels::TileTable& table = gate_up ? set.gate_up : set.down;
    for (std::size_t mr = 1; mr <= kernels::kMaxTileRows; ++mr) {
      if (table.one[mr] != nullptr) functions.push_back({table.one[mr], gate_up, mr, 1});
      if (table.many[mr] != nullptr) functions.push_back({table.many[mr], gate_up, mr, set.panels[mr]});
    }
  }
  return functions;
}

TileCase::TileCase(std::size_t mr, std::size_t panels, std::size_t k, GuardSide side)
    : mr_(mr),
      panels_(panels),
      k_(k),
      x_rows_(random_floats(mr * k, 100 * k + mr)),
      x_(tile_floats(mr, k), side),
      panel_(panels * (1 + k) * kPanelColumns, side),
      out_(std::max(mr * kMaxStride, panels * mr * kGateColumns), side),
      partial_(panels * mr * kPanelColumns, side),
      x_tile_(x_.fit(tile_floats(mr, k))),
      panel_begin_(panel_.fit(panels * (1 + k) * kPanelColumns)) {
  for (std::size_t i = 0; i < mr; ++i) {
    for (std::size_t q = 0; q < k; ++q) {
      x_tile_[q / kBlock * mr * kBlock + i * kBlock + q % kBlock] = x_rows_[i * k + q];
    }
  }
  const std::vector<float> weights = random_floats(panels * (1 + k) * kPanelColumns, 100 * k + panels + 50, 0.5f);
  std::copy(weights.begin(), weights.end(), panel_begin_);
}

std::vector<float> TileCase::model() const {
  std::vector<float> acc(panels_ * mr_ * kPanelColumns);
  for (std::size_t n = 0; n < panels_; ++n) {
    const float* panel = panel_begin_ + n * (1 + k_) * kPanelColumns;
    for (std::size_t i = 0; i < mr_; ++i) {
      for (std::size_t c = 0; c < kPanelColumns; ++c) {
        float sum = panel[c];
        for (std::size_t q = 0; q < k_; ++q)
          sum = std::fma(x_rows_[i * k_ + q], panel[(1 + q) * kPanelColumns + c], sum);
        acc[(n * mr_ + i) * kPanelColumns + c] = sum;
      }
    }
  }
  return acc;
}

void TileCase::exact(std::vector<double>* value, std::vector<double>* absolute) const {
  value->assign(panels_ * mr_ * kPanelColumns, 0);
  absolute->assign(value->size(), 0);
  for (std::size_t n = 0; n < panels_; ++n) {
    const float* panel = panel_begin_ + n * (1 + k_) * kPanelColumns;
    for (std::size_t i = 0; i < mr_; ++i) {
      for (std::size_t c = 0; c < kPanelColumns; ++c) {
        double sum = panel[c], sum_absolute = std::fabs(panel[c]);
        for (std::size_t q = 0; q < k_; ++q) {
          const double product = static_cast<double>(x_rows_[i * k_ + q]) * panel[(1 + q) * kPanelColumns + c];
          sum += product;
          sum_absolute += std::fabs(product);
        }
        (*value)[(n * mr_ + i) * kPanelColumns + c] = sum;
        (*absolute)[(n * mr_ + i) * kPanelColumns + c] = sum_absolute;
      }
    }
  }
}

kernels::TileArgs TileCase::args(std::size_t begin, std::size_t end, bool prefetch) {
  kernels::TileArgs a;
  a.x = x_tile_ + begin * mr_;
  a.bias = panel_begin_;
  a.panel = panel_begin_ + (1 + begin) * kPanelColumns;
  a.panel_stride = (1 + k_) * kPanelColumns;
  a.k = end - begin;
  a.first = begin == 0;
  a.last = end == k_;
  if (prefetch) {  // it runs past the end of the panel, as the driver's does: a prefetch never faults
    a.prefetch = a.panel + 96 * kPanelColumns;
    // Two lines a row at both ends, one that tiles share between them; with even depths also the row that is needed
    // soon: four inner loops.
    a.prefetch_step = begin == 0 || end == k_ ? kPanelColumns : kPanelColumns / 3;
    a.prefetch_near = panels_ == 1 && k_ % 2 == 0 ? 16 * kPanelColumns : 0;
    a.next_x = a.x;
  }
  return a;
}

std::vector<float> TileCase::partial(const TileFunction& f) {
  const std::size_t floats = panels_ * mr_ * kPanelColumns;
  kernels::TileArgs a = args(0, k_, false);
  a.last = false;
  a.partial = partial_.fit(floats);
  f.call(a);
  EXPECT_TRUE(partial_.outside_untouched());
  return std::vector<float>(a.partial, a.partial + floats);
}

std::vector<float> TileCase::run(const TileFunction& f, const TileOptions& options) {
  float* const partial = partial_.fit(panels_ * mr_ * kPanelColumns);
  const std::size_t out_floats =
      f.gate_up ? panels_ * mr_ * kGateColumns : (mr_ - 1) * options.stride + options.columns;
  float* const out = out_.fit(out_floats);
  if (!f.gate_up && options.accumulate) {
    for (std::size_t i = 0; i < mr_; ++i)
      for (std::size_t c = 0; c < options.columns; ++c) out[i * options.stride + c] = y0(i, c);
  }

  std::vector<std::size_t> ends = options.cuts;
  ends.push_back(k_);
  std::size_t begin = 0;
  for (std::size_t end : ends) {
    kernels::TileArgs a = args(begin, end, options.prefetch);
    if (!(a.first && a.last)) a.partial = partial;
    if (a.last) {
      a.glu = options.glu;
      a.out = out;
      a.out_stride = options.stride;
      a.columns = options.columns;
      a.accumulate = options.accumulate;
    }
    f.call(a);
    begin = end;
  }

  EXPECT_TRUE(out_.outside_untouched());
  EXPECT_TRUE(x_.outside_untouched());
  EXPECT_TRUE(panel_.outside_untouched());
  if (f.gate_up) return std::vector<float>(out, out + out_floats);
  std::vector<float> rows;
  for (std::size_t i = 0; i < mr_; ++i) {
    const float* row = out + i * options.stride;
    rows.insert(rows.end(), row, row + options.columns);
    const std::size_t gap = i + 1 < mr_ ? options.stride - options.columns : 0;
    EXPECT_TRUE(all_canaries(row + options.columns, gap));
  }
  return rows;
}

}  // namespace swiglu::testing
