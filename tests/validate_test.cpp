// Bad arguments: each is refused by a message that names the argument and its value, before any work is done.

#include "validate.hpp"

#include <gtest/gtest.h>
#include <swiglu/swiglu.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/bits.hpp"
#include "support/error_of.hpp"
#include "support/random.hpp"

namespace swiglu {
namespace {

using testing::all_canaries;
using testing::canary;
using testing::Random;

constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max();

void expect_error(const std::string& error, const std::string& part) {
  EXPECT_NE(error.find(part), std::string::npos) << "expected \"" << part << "\" in: " << error;
}

/// The definition: mark every byte of a, look for one of b.
bool overlap_by_bytes(const ByteRows& a, const ByteRows& b, std::uintptr_t base, std::size_t size) {
  std::vector<bool> marked(size);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t k = 0; k < a.width; ++k) marked[a.begin + i * a.stride + k - base] = true;
  }
  for (std::size_t i = 0; i < b.rows; ++i) {
    for (std::size_t k = 0; k < b.width; ++k) {
      if (marked[b.begin + i * b.stride + k - base]) return true;
    }
  }
  return false;
}

TEST(RowsOverlap, IsExact) {
  constexpr std::uintptr_t kBase = 1000;
  constexpr std::size_t kSize = 300;
  Random random(5);
  int overlapping[2] = {0, 0};
  int apart_but_entangled[2] = {0, 0};
  for (int round = 0; round < 200000; ++round) {
    const bool equal_strides = round % 2 == 0;
    const auto make_rows = [&] {
      ByteRows rows;
      rows.width = 1 + random.below(9);
      rows.rows = 1 + random.below(8);
      rows.stride = rows.width + random.below(14);
      rows.begin = kBase + random.below(100);
      return rows;
    };
    const ByteRows a = make_rows();
    ByteRows b = make_rows();
    if (equal_strides) {
      b.stride = a.stride;
      b.width = std::min(b.width, b.stride);
    }
    const bool expected = overlap_by_bytes(a, b, kBase, kSize);
    ASSERT_EQ(rows_overlap(a, b), expected) << "a " << a.begin << " " << a.rows << "x" << a.width << "/" << a.stride
                                            << ", b " << b.begin << " " << b.rows << "x" << b.width << "/" << b.stride;
    ASSERT_EQ(rows_overlap(b, a), expected);
    overlapping[equal_strides] += expected;
    apart_but_entangled[equal_strides] += !expected && a.begin < b.end() && b.begin < a.end();
  }
  for (const int i : {0, 1}) {
    EXPECT_GT(overlapping[i], 5000);
    EXPECT_GT(apart_but_entangled[i], 1000) << "the hard half of the cases did not occur";
  }
}

TEST(RowsOverlap, ColumnsOfOneMatrix) {
  // x is columns 0..3, y columns 4..7 of a [5][8] matrix of floats.
  const ByteRows x{4096, 5, 16, 32};
  EXPECT_FALSE(rows_overlap(x, {4096 + 16, 5, 16, 32}));
  EXPECT_TRUE(rows_overlap(x, {4096 + 15, 5, 16, 32}));
  EXPECT_TRUE(rows_overlap(x, {4096 + 17, 5, 16, 32})) << "the end of a y row reaches the next x row";
  EXPECT_TRUE(rows_overlap(x, x));
}

TEST(RowsOverlap, ManyRowsOfUnequalStrides) {
  // 2^40 rows each: a walk that touched every row would not end.
  const std::size_t rows = std::size_t{1} << 40;
  EXPECT_FALSE(rows_overlap({4096, rows, 4, 8}, {4096 + (std::uintptr_t{1} << 44), rows, 4, 16}));
  EXPECT_TRUE(rows_overlap({4096, rows, 4, 8}, {4096 + (std::uintptr_t{1} << 42), rows, 4, 16}));
}

TEST(CheckRows, ResolvesStrides) {
  float data[64];
  EXPECT_EQ(check_rows({"x", "x.stride", "d", data, 4, 5, kDense}).stride, 5 * sizeof(float));
  EXPECT_EQ(check_rows({"x", "x.stride", "d", data, 4, 5, 7}).stride, 7 * sizeof(float));
  EXPECT_EQ(check_rows({"x", "x.stride", "d", data, 4, 5, 7}).end(),
            reinterpret_cast<std::uintptr_t>(data) + (3 * 7 + 5) * sizeof(float));
  EXPECT_EQ(check_rows({"x", "x.stride", "d", data, 1, 5, kDense - 1}).stride, 5 * sizeof(float)) << "one row";
}

TEST(CheckRows, RefusesWhatLeavesTheAddressSpace) {
  float data[4];
  const auto check = [&](std::size_t rows, std::size_t width, std::size_t stride) {
    return error_of([&] { check_rows({"x", "x.stride", "d_model", data, rows, width, stride}); });
  };
  expect_error(check(kMaxSize, 4, kDense), "x: 18446744073709551615 rows of d_model = 4 floats");
  expect_error(check(3, 4, kMaxSize / 2), "x.stride = 9223372036854775807");
  expect_error(check(2, kMaxSize / 2, kDense), "x: ");
  expect_error(check(3, 4, kMaxSize / 8), "x: ");  // fits as elements, not as bytes
  const std::string top = error_of([] {
    check_rows({"x", "x.stride", "d_model", reinterpret_cast<const float*>(~std::uintptr_t{15}), 2, 4, kDense});
  });
  expect_error(top, "x: 2 rows of d_model = 4 floats, x.stride = 4, end beyond the address space");
}

std::string backend_name(const ::testing::TestParamInfo<Backend>& info) { return to_string(info.param); }

/// A small block and a buffer, all canaries, in which x, y and workspace are placed.
class ForwardErrors : public ::testing::TestWithParam<Backend> {
 protected:
  static constexpr std::size_t kModel = 3;
  static constexpr std::size_t kRows = 4;

  void SetUp() override {
    Options options;
    options.backend = GetParam();
    options.threads = 1;
    const std::vector<float> ones(kModel * 5, 1.0f);
    block = std::make_unique<FeedForward>(kModel, 5, Weights::separate({ones.data()}, {ones.data()}, {ones.data()}),
                                          options);
    needed = block->workspace_bytes(kRows);
    workspace.assign(needed / sizeof(float) + 64, canary());
  }

  /// forward() must throw, and neither y nor the workspace may have been written.
  std::string error(ConstRows x, Rows y, void* scratch, std::size_t scratch_bytes, std::size_t T = kRows) {
    const std::string text = error_of([&] { block->forward(x, y, T, scratch, scratch_bytes); });
    EXPECT_TRUE(all_canaries(memory.data(), memory.size())) << "written before: " << text;
    EXPECT_TRUE(all_canaries(workspace.data(), workspace.size())) << "workspace written before: " << text;
    return text;
  }
  std::string error(ConstRows x, Rows y, std::size_t T = kRows) { return error(x, y, workspace.data(), needed, T); }

  std::unique_ptr<FeedForward> block;
  std::vector<float> memory = std::vector<float>(256, canary());
  std::vector<float> workspace;
  std::size_t needed = 0;
  ConstRows good_x{memory.data()};
  Rows good_y{memory.data() + 128};
};

TEST_P(ForwardErrors, NullPointers) {
  expect_error(error({nullptr}, good_y), "x = null: must point to 4 rows of d_model = 3 floats");
  expect_error(error(good_x, {nullptr}), "y = null: must point to 4 rows of d_model = 3 floats");
  if (needed > 0) expect_error(error(good_x, good_y, nullptr, needed), "workspace = null: must point to");
}

TEST_P(ForwardErrors, StrideBelowTheWidth) {
  expect_error(error({memory.data(), 2}, good_y), "x.stride = 2: must be at least d_model = 3");
  expect_error(error(good_x, {memory.data() + 128, 0}), "y.stride = 0: must be at least d_model = 3");
  expect_error(error(good_x, {memory.data() + 128, 1}, 1), "y.stride = 1: must be at least d_model = 3");
}

TEST_P(ForwardErrors, Misaligned) {
  char* bytes = reinterpret_cast<char*>(memory.data());
  expect_error(error({reinterpret_cast<float*>(bytes + 1)}, good_y), "x = ");
  expect_error(error(good_x, {reinterpret_cast<float*>(bytes + 514)}), "y = ");
  if (needed > 0) {
    expect_error(error(good_x, good_y, reinterpret_cast<char*>(workspace.data()) + 2, needed), "workspace = ");
  }
}

TEST_P(ForwardErrors, SizesOverflow) {
  expect_error(error(good_x, good_y, kMaxSize), "x: 18446744073709551615 rows");
  expect_error(error({memory.data(), kMaxSize / 2}, good_y), "x.stride = 9223372036854775807");
  expect_error(error(good_x, {memory.data() + 128, kMaxSize / 4}), "y.stride = 4611686018427387903");
  expect_error(error(good_x, good_y, workspace.data(), kMaxSize), "workspace_bytes = 18446744073709551615");
}

TEST_P(ForwardErrors, WorkspaceTooSmall) {
  if (needed == 0) {  // the reference
    EXPECT_NO_THROW(block->forward(good_x, good_y, kRows, nullptr, 0));
    return;
  }
  for (const std::size_t bytes : {std::size_t{0}, needed - 1}) {
    const std::string text = error(good_x, good_y, workspace.data(), bytes);
    expect_error(text, "workspace_bytes = " + std::to_string(bytes));
    expect_error(text, std::to_string(needed) + " are needed for T = 4");
  }
  expect_error(error(good_x, good_y, nullptr, 0), "workspace_bytes = 0");
}

TEST_P(ForwardErrors, Overlaps) {
  float* m = memory.data();
  expect_error(error({m}, {m}), "x = ");
  expect_error(error({m}, {m}), " overlaps y = ");
  expect_error(error({m}, {m + kModel}), "overlaps");              // one row on
  expect_error(error({m}, {m + kRows * kModel - 1}), "overlaps");  // the last element
  expect_error(error({m + kRows * kModel - 1}, {m}), "overlaps");  // the same, y first
  expect_error(error({m, 8}, {m + 2, 8}), "overlaps");             // column ranges 0..2 and 2..4
  expect_error(error({m, 8}, {m + 6, 8}), "overlaps");             // 6..8: into the next row
  expect_error(error({m, 4}, {m + 3, 5}), "overlaps");             // unequal strides
  expect_error(error({m}, {m}, 1), "overlaps");
  // Into the workspace, also where this T does not need it.
  float* w = workspace.data();
  const std::size_t all = workspace.size() * sizeof(float);
  expect_error(error({w + 1}, good_y, w, all), " overlaps workspace = ");
  expect_error(error(good_x, {w + 1}, w, all), " overlaps workspace = ");
  expect_error(error(good_x, {w + workspace.size() - 12}, w, all), "y = ");
  expect_error(error(good_x, {m + 128}, m + 120, 9 * sizeof(float) + needed), "overlaps workspace");
}

TEST_P(ForwardErrors, InterleavedRowsAreFine) {
  std::fill(memory.begin(), memory.end(), 1.0f);
  float* m = memory.data();
  EXPECT_NO_THROW(block->forward({m, 8}, {m + 3, 8}, kRows, workspace.data(), needed));
  EXPECT_NO_THROW(block->forward({m, 8}, {m + 5, 8}, kRows, workspace.data(), needed));
  EXPECT_NO_THROW(block->forward({m}, {m + kRows * kModel}, kRows, workspace.data(), needed));
  EXPECT_NO_THROW(block->forward({m, 6}, {m + 3, 12}, 2, workspace.data(), needed));
}

TEST_P(ForwardErrors, NoRowsNoChecks) {
  EXPECT_EQ(block->workspace_bytes(0), 0u);
  EXPECT_NO_THROW(block->forward({nullptr, 0}, {nullptr, 0}, 0, nullptr, 0));
  FeedForward moved = std::move(*block);
  EXPECT_NO_THROW(block->forward({nullptr}, {nullptr}, 0, nullptr, 0));
}

TEST_P(ForwardErrors, MovedFrom) {
  const FeedForward moved = std::move(*block);
  expect_error(error(good_x, good_y), "moved-from");
  EXPECT_EQ(block->workspace_bytes(5), 0u);
  EXPECT_EQ(block->d_model(), 0u);
  EXPECT_EQ(block->d_ff(), 0u);
  EXPECT_EQ(block->packed_bytes(), 0u);
  EXPECT_EQ(block->threads(), 0u);
  EXPECT_EQ(block->make_workspace().size(), 0u);
  expect_error(block->explain(), "moved-from");
  EXPECT_EQ(moved.d_model(), kModel);
  EXPECT_EQ(moved.d_ff(), 5u);
  EXPECT_EQ(moved.backend(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(, ForwardErrors, ::testing::ValuesIn(compiled_backends()), backend_name);

/// Pointers that nobody may follow: the constructor must refuse before it reads or allocates.
class ConstructionErrors : public ::testing::TestWithParam<Backend> {
 protected:
  const float* dummy = reinterpret_cast<const float*>(std::uintptr_t{64});
  Weights weights = Weights::separate({dummy}, {dummy}, {dummy});
  Options options;
  void SetUp() override { options.backend = GetParam(); }
  std::string error(std::size_t d_model, std::size_t d_ff) {
    return error_of([&] { FeedForward(d_model, d_ff, weights, options); });
  }
};

TEST_P(ConstructionErrors, Sizes) {
  expect_error(error(0, 4), "d_model = 0: must be at least 1");
  expect_error(error(4, 0), "d_ff = 0: must be at least 1");
  const std::size_t huge = std::size_t{1} << 33;
  expect_error(error(huge, huge), "d_model = 8589934592, d_ff = 8589934592");
  expect_error(error(kMaxSize, kMaxSize), "d_model = 18446744073709551615");
  expect_error(error(1, kMaxSize / 2), "d_ff = 9223372036854775807");
  expect_error(error(kMaxSize / 16, 1), "d_model = ");
}

TEST_P(ConstructionErrors, Options) {
  options.threads = 5000;
  expect_error(error(4, 4), "options.threads = 5000: must be at most 4096");
  options.threads = 1;
  options.onednn_form = static_cast<OneDnnForm>(9);
  expect_error(error(4, 4), "options.onednn_form = 9");
  options.onednn_form = OneDnnForm::wide;
  options.isa = static_cast<Isa>(99);
  expect_error(error(4, 4), "isa = 99");
}

TEST_P(ConstructionErrors, ExecutorOfNoOrTooManyThreads) {
  struct Odd : Executor {
    explicit Odd(std::size_t tasks) : tasks_(tasks) {}
    std::size_t concurrency() const noexcept override { return tasks_; }
    void parallel_for(std::size_t, Task, void*) override {}
    std::size_t tasks_;
  };
  options.executor = std::make_shared<Odd>(0);
  expect_error(error(4, 4), "options.executor->concurrency() = 0: must be at least 1");
  // The workspace has a part per task: its size would overflow.
  options.executor = std::make_shared<Odd>(kMaxSize);
  expect_error(error(4, 4), "options.executor->concurrency() = 18446744073709551615: must be at least 1 and at most");
}

TEST_P(ConstructionErrors, Weights) {
  weights.up.data = nullptr;
  expect_error(error(4, 4), "weights.up = null");
}

INSTANTIATE_TEST_SUITE_P(, ConstructionErrors, ::testing::ValuesIn(compiled_backends()), backend_name);

TEST(BackendErrors, UnknownOrNotBuilt) {
  const std::vector<float> ones(4, 1.0f);
  const Weights weights = Weights::separate({ones.data()}, {ones.data()}, {ones.data()});
  Options options;
  options.backend = static_cast<Backend>(99);
  expect_error(error_of([&] { FeedForward(2, 2, weights, options); }), "options.backend = 99");

  const std::vector<Backend> compiled = compiled_backends();
  if (std::find(compiled.begin(), compiled.end(), Backend::onednn) == compiled.end()) {
    options.backend = Backend::onednn;
    const std::string error = error_of<Unsupported>([&] { FeedForward(2, 2, weights, options); });
    expect_error(error, "options.backend = onednn");
    expect_error(error, "-DSWIGLU_WITH_ONEDNN=ON");
    expect_error(error, "Available: native, reference");
  }
}

TEST(WorkspaceObject, OwnsAlignedMemory) {
  EXPECT_EQ(Workspace().data(), nullptr);
  EXPECT_EQ(Workspace(0).size(), 0u);
  for (const std::size_t bytes : {1, 63, 64, 65, 5 << 20}) {
    Workspace a(bytes);
    EXPECT_EQ(a.size(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0u);
    std::memset(a.data(), 1, bytes);
    void* const data = a.data();
    Workspace b(std::move(a));
    EXPECT_EQ(b.data(), data);
    EXPECT_EQ(a.data(), nullptr);
    EXPECT_EQ(a.size(), 0u);
    Workspace c(3);
    c = std::move(b);
    EXPECT_EQ(c.data(), data);
    EXPECT_EQ(b.data(), nullptr);
    EXPECT_EQ(b.size(), 0u);
  }
  EXPECT_THROW(Workspace{kMaxSize}, std::bad_alloc);
  EXPECT_THROW(Workspace{kMaxSize / 2}, std::bad_alloc);
}

/// Elementwise calls that must be refused without writing.
class ElementwiseErrors : public ::testing::Test {
 protected:
  std::vector<float> memory = std::vector<float>(64, canary());
  float* m = memory.data();
  template <typename Call>
  std::string error(Call call) {
    const std::string text = error_of(call);
    EXPECT_TRUE(all_canaries(m, memory.size())) << "written before: " << text;
    return text;
  }
};

TEST_F(ElementwiseErrors, Null) {
  expect_error(error([&] { silu(nullptr, m, 4); }), "g = null");
  expect_error(error([&] { silu(m, nullptr, 4); }), "out = null");
  expect_error(error([&] { silu_mul(nullptr, m, m, 4); }), "gate = null");
  expect_error(error([&] { silu_mul(m, nullptr, m, 4); }), "up = null");
  expect_error(error([&] { silu_mul(m, m, nullptr, 4); }), "out = null");
  expect_error(error([&] { silu_mul_rows(GateUpLayout::halves_gate_first, nullptr, 8, m, 4, 2, 4); }),
               "gate_up = null");
  expect_error(error([&] { silu_mul_rows(GateUpLayout::halves_gate_first, m, 8, nullptr, 4, 2, 4); }), "out = null");
}

TEST_F(ElementwiseErrors, PartialOverlap) {
  expect_error(error([&] { silu(m, m + 1, 4); }), "overlaps g = ");
  expect_error(error([&] { silu(m + 3, m, 4); }), "overlaps g = ");
  expect_error(error([&] { silu_mul(m, m + 20, m + 1, 4); }), "overlaps gate = ");
  expect_error(error([&] { silu_mul(m + 20, m, m + 3, 4); }), "overlaps up = ");
  // out [2][3] in the rows of gate_up [2][2·3], 8 apart: anywhere but on a half or in the gap.
  for (const std::size_t offset : {1, 2, 4, 5, 6, 7}) {
    expect_error(error([&] { silu_mul_rows(GateUpLayout::halves_up_first, m, 8, m + offset, 8, 2, 3); }), "overlaps");
  }
}

TEST_F(ElementwiseErrors, Strides) {
  expect_error(error([&] { silu_mul_rows(GateUpLayout::halves_gate_first, m, 5, m + 32, 3, 2, 3); }),
               "gate_up_stride = 5: must be at least 2·d_ff = 6");
  expect_error(error([&] { silu_mul_rows(GateUpLayout::halves_gate_first, m, 6, m + 32, 2, 2, 3); }),
               "out_stride = 2: must be at least d_ff = 3");
}

TEST_F(ElementwiseErrors, LayoutAndSizes) {
  expect_error(error([&] { silu_mul_rows(GateUpLayout::interleaved, m, 6, m + 32, 3, 2, 3); }), "layout = 2");
  expect_error(error([&] { silu(m, m, kMaxSize / 2); }), "n = 9223372036854775807");
  expect_error(
      error([&] { silu_mul_rows(GateUpLayout::halves_gate_first, m, kDense, m, kDense, 1, kMaxSize / 2 + 1); }),
      "d_ff = 9223372036854775808");
}

TEST(Elementwise, NothingToDo) {
  EXPECT_NO_THROW(silu(nullptr, nullptr, 0));
  EXPECT_NO_THROW(silu_mul(nullptr, nullptr, nullptr, 0));
  EXPECT_NO_THROW(silu_mul_rows(GateUpLayout::halves_gate_first, nullptr, 0, nullptr, 0, 0, 5));
  EXPECT_NO_THROW(silu_mul_rows(GateUpLayout::halves_gate_first, nullptr, 0, nullptr, 0, 5, 0));
}

TEST(Elementwise, RowsInPlaceAndApart) {
  constexpr std::size_t kT = 3, kWidth = 5, kStride = 12;
  const std::vector<float> both = testing::random_floats(kT * kStride, 3);
  for (const GateUpLayout layout : {GateUpLayout::halves_gate_first, GateUpLayout::halves_up_first}) {
    const std::size_t gate = layout == GateUpLayout::halves_gate_first ? 0 : kWidth;
    std::vector<float> expected(kT * kWidth);
    for (std::size_t t = 0; t < kT; ++t) {
      const float* row = both.data() + t * kStride;
      silu_mul(row + gate, row + kWidth - gate, expected.data() + t * kWidth, kWidth);
    }
    std::vector<float> apart(kT * kWidth, canary());
    silu_mul_rows(layout, both.data(), kStride, apart.data(), kWidth, kT, kWidth);
    EXPECT_TRUE(testing::same_bits(apart, expected));
    for (const std::size_t half : {std::size_t{0}, kWidth}) {
      std::vector<float> in_place = both;
      silu_mul_rows(layout, in_place.data(), kStride, in_place.data() + half, kStride, kT, kWidth);
      for (std::size_t t = 0; t < kT; ++t) {
        EXPECT_TRUE(testing::same_bits(in_place.data() + t * kStride + half, expected.data() + t * kWidth, kWidth));
      }
    }
    // One row: strides do not matter.
    std::vector<float> one = both;
    silu_mul_rows(layout, one.data(), kDense, one.data(), kDense, 1, kWidth);
    EXPECT_TRUE(testing::same_bits(one.data(), expected.data(), kWidth));
  }
}

}  // namespace
}  // namespace swiglu
