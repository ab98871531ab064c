// What the block may touch: exactly the caller's rows, whatever their stride, alignment and neighbours (contract C5).

#include <gtest/gtest.h>
#include <pthread.h>
#include <swiglu/swiglu.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "support/bits.hpp"
#include "support/block_case.hpp"
#include "support/executors.hpp"
#include "support/guarded_buffer.hpp"
#include "support/isa_param.hpp"
#include "support/random.hpp"

namespace swiglu::testing {
namespace {

FeedForward make(const BlockCase& block, Isa isa) {
  return FeedForward(block.d_model, block.d_ff, block.weights(), single_threaded(isa));
}

class BlockMemory : public IsaTest {};
SWIGLU_FOR_EVERY_ISA(BlockMemory);

// Strides of x and y with canaries in every gap and around: honoured, and the gaps stay untouched (S-13, S-14).
TEST_P(BlockMemory, StridesAreHonouredAndGapsUntouched) {
  constexpr std::size_t kAround = 16;
  for (std::size_t d : {1, 13, 32, 45}) {
    const BlockCase block = random_block(d, 29);
    const FeedForward ff = make(block, GetParam());
    for (std::size_t T : {1, 2, 6, 17}) {
      const std::vector<float> dense_x = random_floats(T * d, T);
      const std::vector<float> expected = forward(ff, dense_x, T);
      const std::vector<float> y0 = random_floats(T * d, T + 1);
      const std::vector<float> expected_sum = forward_accumulate(ff, dense_x, y0, T);
      for (std::size_t x_stride : {d, d + 1, d + 7, 2 * d}) {
        for (std::size_t y_stride : {d, d + 1, d + 7, 2 * d}) {
          // x ends with its last row: nothing behind it belongs to the caller.
          std::vector<float> x((T - 1) * x_stride + d, canary());
          for (std::size_t t = 0; t < T; ++t) std::copy_n(&dense_x[t * d], d, &x[t * x_stride]);
          for (bool accumulate : {false, true}) {
            std::vector<float> y(kAround + (T - 1) * y_stride + d + kAround, canary());
            if (accumulate) {
              for (std::size_t t = 0; t < T; ++t) std::copy_n(&y0[t * d], d, &y[kAround + t * y_stride]);
            }
            const Workspace workspace = ff.make_workspace(T);
            ff.forward({x.data(), x_stride}, {&y[kAround], y_stride}, T, workspace, accumulate);
            ASSERT_TRUE(all_canaries(y.data(), kAround));
            for (std::size_t t = 0; t < T; ++t) {
              const float* row = &y[kAround + t * y_stride];
              ASSERT_TRUE(same_bits(row, &(accumulate ? expected_sum : expected)[t * d], d)) << "row " << t;
              ASSERT_TRUE(all_canaries(row + d, t + 1 < T ? y_stride - d : kAround)) << "gap after row " << t;
            }
          }
        }
      }
    }
  }
}

// x and y as two column ranges of one matrix: their rows interleave without overlapping.
TEST_P(BlockMemory, InterleavedRowsOfOneMatrix) {
  const std::size_t d = 21, T = 9;
  const BlockCase block = random_block(d, 40);
  const FeedForward ff = make(block, GetParam());
  const std::vector<float> x = random_floats(T * d, 2);
  std::vector<float> matrix(T * 2 * d, canary());
  for (std::size_t t = 0; t < T; ++t) std::copy_n(&x[t * d], d, &matrix[t * 2 * d]);
  ff.forward({matrix.data(), 2 * d}, {matrix.data() + d, 2 * d}, T, ff.make_workspace(T));
  const std::vector<float> expected = forward(ff, x, T);
  for (std::size_t t = 0; t < T; ++t) {
    ASSERT_TRUE(same_bits(&matrix[t * 2 * d], &x[t * d], d)) << "x was changed";
    ASSERT_TRUE(same_bits(&matrix[t * 2 * d + d], &expected[t * d], d));
  }
}

// Every buffer at every element offset from a 64-byte line, one after the other and all at once (hard case S-11).
TEST_P(BlockMemory, AnyElementAlignedPointer) {
  for (std::size_t T : {1, 4, 15}) {
    const BlockCase block = random_block(34, 50);
    const FeedForward plain = make(block, GetParam());
    const std::vector<float> x = random_floats(T * block.d_model, T);
    const std::vector<float> expected = forward(plain, x, T);
    const std::size_t workspace_floats = plain.workspace_bytes(T) / sizeof(float);
    for (std::size_t offset = 0; offset < 16; ++offset) {
      for (unsigned which = 1; which < 16; which <<= 1) {
        const auto at = [&](unsigned bit) { return (which & bit) != 0 || which == 8 ? offset : 0; };
        Workspace x_memory((x.size() + 16) * 4), y_memory((x.size() + 16) * 4), scratch((workspace_floats + 17) * 4);
        float* x_at = static_cast<float*>(x_memory.data()) + at(1);
        float* y_at = static_cast<float*>(y_memory.data()) + at(2);
        float* workspace_at = static_cast<float*>(scratch.data()) + at(4);
        std::copy(x.begin(), x.end(), x_at);
        plain.forward({x_at}, {y_at}, T, workspace_at, plain.workspace_bytes(T));
        ASSERT_TRUE(same_bits(y_at, expected.data(), x.size())) << "offset " << 4 * offset << ", buffers " << which;
      }
    }
  }
}

TEST_P(BlockMemory, WeightsAtAnyElementOffset) {
  const BlockCase block = random_block(18, 27);
  const std::vector<float> x = random_floats(2 * block.d_model, 1);
  const std::vector<float> expected = forward(make(block, GetParam()), x, 2);
  for (std::size_t offset = 0; offset < 16; ++offset) {
    std::vector<std::vector<float>> shifted;
    for (const auto* v : {&block.gate, &block.up, &block.down, &block.gate_bias, &block.up_bias, &block.down_bias}) {
      shifted.emplace_back(offset, canary());
      shifted.back().insert(shifted.back().end(), v->begin(), v->end());
    }
    Weights weights =
        Weights::separate({shifted[0].data() + offset}, {shifted[1].data() + offset}, {shifted[2].data() + offset});
    weights.gate_bias = shifted[3].data() + offset;
    weights.up_bias = shifted[4].data() + offset;
    weights.down_bias = shifted[5].data() + offset;
    const FeedForward ff(block.d_model, block.d_ff, weights, single_threaded(GetParam()));
    ASSERT_TRUE(same_bits(forward(ff, x, 2), expected)) << "offset " << 4 * offset;
  }
}

// Contents of the workspace never matter: NaNs before, leftovers of another shape, zeros.
TEST_P(BlockMemory, OldContentsNeverMatter) {
  const BlockCase block = random_block(37, 75);
  const FeedForward ff = make(block, GetParam());
  const Workspace workspace = ff.make_workspace();
  for (std::size_t T : {300, 1, 29, 2, 14}) {
    const std::vector<float> x = random_floats(T * block.d_model, T);
    std::vector<float> first(x.size()), second(x.size(), canary()), third(x.size(), 1e30f);
    ff.forward({x.data()}, {first.data()}, T, workspace);  // what the call before left there
    std::memset(workspace.data(), 0xff, workspace.size());
    ff.forward({x.data()}, {second.data()}, T, workspace);
    std::memset(workspace.data(), 0, workspace.size());
    ff.forward({x.data()}, {third.data()}, T, workspace);
    ASSERT_TRUE(same_bits(first, second)) << "T " << T;
    ASSERT_TRUE(same_bits(first, third)) << "T " << T;
  }
}

TEST_P(BlockMemory, NoRowsDoNothing) {
  const BlockCase block = random_block(5, 6);
  const FeedForward ff = make(block, GetParam());
  EXPECT_NO_THROW(ff.forward({}, {}, 0, nullptr, 0));
  EXPECT_NO_THROW(ff.forward({}, {}, 0, nullptr, 0, true));
  const std::vector<float> x = random_floats(3 * 5, 1);
  EXPECT_TRUE(same_bits(forward(ff, x, 3), forward(make(block, GetParam()), x, 3))) << "the object still works";
}

TEST_P(BlockMemory, WorkspaceIsBoundedAndMonotone) {
  const FeedForward ff = make(random_block(45, 100), GetParam());
  std::size_t before = 0;
  for (std::size_t T = 1; T < 600; ++T) {
    ASSERT_GE(ff.workspace_bytes(T), before) << "T " << T;
    before = ff.workspace_bytes(T);
  }
  EXPECT_EQ(ff.workspace_bytes(static_cast<std::size_t>(-1)), ff.workspace_bytes(1000000));
  EXPECT_GE(ff.make_workspace().size(), before);
}

// A bad call is refused before anything is written.
TEST_P(BlockMemory, BadCallsThrowAndTouchNothing) {
  const std::size_t d = 12, T = 4;
  const BlockCase block = random_block(d, 20);
  const FeedForward ff = make(block, GetParam());
  std::vector<float> buffer(2 * T * d + d, 0.5f);
  std::vector<float> y(T * d, canary());
  const Workspace workspace = ff.make_workspace(T);
  float* const b = buffer.data();
  const std::vector<float> untouched = buffer;

  EXPECT_THROW(ff.forward({b}, {b}, T, workspace), InvalidArgument);
  EXPECT_THROW(ff.forward({b}, {b}, 1, workspace), InvalidArgument);
  EXPECT_THROW(ff.forward({b}, {b + d}, T, workspace), InvalidArgument);
  EXPECT_THROW(ff.forward({b + d}, {b}, T, workspace), InvalidArgument);
  EXPECT_THROW(ff.forward({b}, {b + T * d - 1}, T, workspace), InvalidArgument);
  EXPECT_THROW(ff.forward({b, 2 * d}, {b + d - 1, 2 * d}, T, workspace), InvalidArgument);
  EXPECT_THROW(ff.forward({b}, {y.data()}, T, b, buffer.size() * sizeof(float)), InvalidArgument);
  EXPECT_THROW(ff.forward({nullptr}, {y.data()}, T, workspace), InvalidArgument);
  EXPECT_THROW(ff.forward({b}, {nullptr}, T, workspace), InvalidArgument);
  EXPECT_THROW(ff.forward({b, d - 1}, {y.data()}, T, workspace), InvalidArgument);
  EXPECT_THROW(ff.forward({b}, {y.data(), d - 1}, T, workspace), InvalidArgument);
  EXPECT_THROW(ff.forward({b}, {y.data()}, T, nullptr, workspace.size()), InvalidArgument);
  EXPECT_THROW(ff.forward({b}, {y.data()}, T, workspace.data(), ff.workspace_bytes(T) - 1), InvalidArgument);
  EXPECT_THROW(ff.forward({b}, {y.data()}, static_cast<std::size_t>(-1), workspace), InvalidArgument);
  EXPECT_TRUE(same_bits(buffer, untouched));
  EXPECT_TRUE(all_canaries(y.data(), y.size()));
}

// Frames are small: a thread with 64 KiB of stack can run a block (hard case D-13).
TEST_P(BlockMemory, RunsOnASmallStack) {
  struct Job {
    FeedForward ff;
    std::vector<float> x, y;
    Workspace workspace;
  };
  const BlockCase block = random_block(70, 200);
  FeedForward ff = make(block, GetParam());
  Job job{std::move(ff), random_floats(40 * 70, 1), std::vector<float>(40 * 70), Workspace()};
  job.workspace = job.ff.make_workspace(40);
  const std::vector<float> expected = forward(job.ff, job.x, 40);
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  const auto least = static_cast<std::size_t>(sysconf(_SC_THREAD_STACK_MIN));  // 128 KiB on AArch64
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, std::max<std::size_t>(64 * 1024, least)), 0);
  pthread_t thread;
  const auto run = [](void* p) -> void* {
    Job& j = *static_cast<Job*>(p);
    j.ff.forward({j.x.data()}, {j.y.data()}, 40, j.workspace);
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &job), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_TRUE(same_bits(job.y, expected));
}

class BlockGuard : public IsaTest {
 protected:
  // Every buffer of a call, and every weight matrix during packing, against a page without access.
  void check(GuardSide side) {
    constexpr std::size_t kMax = 70 * 70 + 64;
    GuardedBuffer gate(kMax, side), up(kMax, side), down(kMax, side), biases(3 * 70, side), x(9 * 80, side),
        y(9 * 80, side);
    GuardedBuffer workspace(64 * 1024, side);
    const std::size_t widths[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 31, 32, 33, 47, 48, 49, 63, 64, 65, 70};
    for (std::size_t d : widths) {
      for (std::size_t h : widths) {
        const BlockCase block = random_block(d, h, kDownBias);
        const auto place = [](GuardedBuffer& buffer, const std::vector<float>& v) {
          return static_cast<const float*>(std::copy(v.begin(), v.end(), buffer.fit(v.size())) - v.size());
        };
        Weights weights =
            Weights::separate({place(gate, block.gate)}, {place(up, block.up)}, {place(down, block.down)});
        weights.down_bias = place(biases, block.down_bias);
        const FeedForward ff(d, h, weights, single_threaded(GetParam()));
        for (std::size_t T = 1; T <= 9; ++T) {
          const std::size_t stride = d + T % 3;
          const std::vector<float> rows = random_floats(T * d, T);
          const std::vector<float> expected = forward(ff, rows, T);
          float* x_rows = x.fit((T - 1) * stride + d);
          float* y_rows = y.fit((T - 1) * stride + d);
          for (std::size_t t = 0; t < T; ++t) std::copy_n(&rows[t * d], d, x_rows + t * stride);
          float* scratch = workspace.fit(ff.workspace_bytes(T) / sizeof(float));
          ff.forward({x_rows, stride}, {y_rows, stride}, T, scratch, ff.workspace_bytes(T));
          ASSERT_TRUE(y.outside_untouched() && x.outside_untouched() && workspace.outside_untouched());
          for (std::size_t t = 0; t < T; ++t) {
            ASSERT_TRUE(same_bits(y_rows + t * stride, &expected[t * d], d))
                << "d_model " << d << ", d_ff " << h << ", T " << T;
          }
        }
      }
    }
  }
};
SWIGLU_FOR_EVERY_ISA(BlockGuard);

TEST_P(BlockGuard, NothingIsTouchedAfterABuffer) { check(GuardSide::after); }
TEST_P(BlockGuard, NothingIsTouchedBeforeABuffer) { check(GuardSide::before); }

// Rows that are spread over workers: each has a part of the workspace of its own. In reverse order the worker with the
// last part does all of them.
TEST_P(BlockGuard, RowsOnSeveralWorkers) {
  const std::size_t d = 77, most = 513;
  const BlockCase block = random_block(d, 130);
  const std::vector<float> rows = random_floats(most * d, 1);
  const std::vector<float> expected = forward(make(block, GetParam()), rows, most);
  GuardedBuffer x(most * d, GuardSide::after), y(most * d, GuardSide::after), workspace(64 * 1024, GuardSide::after);
  for (const std::size_t workers : {2, 3, 4}) {
    const std::shared_ptr<Executor> executors[] = {
        std::make_shared<SequentialExecutor>(workers, SequentialExecutor::Kind::reverse),
        std::make_shared<ThreadPerTaskExecutor>(workers)};
    for (const auto& executor : executors) {
      Options options;
      options.isa = GetParam();
      options.executor = executor;
      const FeedForward ff(d, block.d_ff, block.weights(), options);
      for (const std::size_t T : {97, 127, 128, 129, 191, 192, 193, 255, 300, 384, 450, 511, 512, 513}) {
        const std::size_t bytes = ff.workspace_bytes(T);
        float* x_rows = x.fit(T * d);
        float* y_rows = y.fit(T * d);
        std::copy_n(rows.data(), T * d, x_rows);
        ff.forward({x_rows}, {y_rows}, T, workspace.fit(bytes / sizeof(float)), bytes);
        ASSERT_TRUE(y.outside_untouched() && workspace.outside_untouched()) << "T " << T;
        ASSERT_TRUE(same_bits(y_rows, expected.data(), T * d)) << "T " << T << ", " << workers << " workers";
      }
    }
  }
}

}  // namespace
}  // namespace swiglu::testing
