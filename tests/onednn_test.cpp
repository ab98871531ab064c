// The rival backend must be right before it may be timed, and must not flatter or cripple itself: both forms against
// the reference, any strides, bounded memory, and an environment that cannot change what runs without a word.

#include <gtest/gtest.h>
#include <omp.h>
#include <swiglu/feed_forward.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "onednn/onednn_info.hpp"
#include "support/bits.hpp"
#include "support/block_case.hpp"
#include "support/error_bound.hpp"
#include "support/isa_param.hpp"
#include "support/random.hpp"

namespace swiglu::testing {
namespace {

// oneDNN promises no accuracy for its swish. Measured over gates within ±20 (random_block's are a few units): 4.6 ulp
// on AVX2 and AVX-512, 17 on SSE4.1.
const Promise kSwish{{}, 20.0};

Options onednn_options(OneDnnForm form, std::size_t threads = 2) {
  Options options;
  options.backend = Backend::onednn;
  options.onednn_form = form;
  options.threads = threads;
  return options;
}

/// Sets an environment variable for the life of the object.
class ScopedEnv {
 public:
  ScopedEnv(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~ScopedEnv() { unsetenv(name_); }

 private:
  const char* name_;
};

struct ChildResult {
  int status;
  std::string output;
};

/// Runs tests of this executable in a process of their own, for what oneDNN reads or fixes once per process.
ChildResult run_child(const std::string& environment, const std::string& filter) {
  std::array<char, 4096> path{};
  if (readlink("/proc/self/exe", path.data(), path.size() - 1) <= 0) return {-1, "no /proc/self/exe"};
  const std::string command = "env " + environment + " '" + path.data() +
                              "' --gtest_also_run_disabled_tests --gtest_filter='" + filter + "' 2>&1";
  ChildResult result{};
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {-1, "popen failed"};
  std::array<char, 4096> chunk{};
  while (fgets(chunk.data(), chunk.size(), pipe) != nullptr) result.output += chunk.data();
  result.status = pclose(pipe);
  if (result.output.find("[  PASSED  ]") == std::string::npos) result.status = -1;  // nothing ran
  return result;
}

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

class OneDnnForms : public ::testing::TestWithParam<OneDnnForm> {};

std::string form_name(const ::testing::TestParamInfo<OneDnnForm>& info) {
  return info.param == OneDnnForm::wide ? "wide" : "post_ops";
}
INSTANTIATE_TEST_SUITE_P(, OneDnnForms, ::testing::Values(OneDnnForm::wide, OneDnnForm::post_ops), form_name);

// Every T up to 64: few rows take other code paths than many, and a ⊙ that read what it writes would be wrong here
// (hard case O-05).
TEST_P(OneDnnForms, MatchesReferenceForEveryT) {
  const BlockCase block = random_block(48, 70);
  const FeedForward ffn(48, 70, block.weights(), onednn_options(GetParam()));
  for (std::size_t T = 1; T <= 64; ++T) {
    const std::vector<float> x = random_floats(T * 48, T);
    EXPECT_TRUE(within_bound(expected_block(block, x, T, nullptr, kSwish), forward(ffn, x, T))) << "T = " << T;
  }
}

TEST_P(OneDnnForms, MatchesReferenceForOddSizesAndBiases) {
  constexpr std::size_t kSizes[][2] = {{1, 1}, {1, 5}, {3, 1}, {31, 33}, {64, 96}, {129, 20}, {20, 257}};
  for (const auto& [d_model, d_ff] : kSizes) {
    for (unsigned biases = kNoBias; biases <= kAllBiases; ++biases) {
      const BlockCase block = random_block(d_model, d_ff, biases);
      const FeedForward ffn(d_model, d_ff, block.weights(), onednn_options(GetParam()));
      for (const std::size_t T : {1, 2, 17}) {
        const std::vector<float> x = random_floats(T * d_model, T);
        EXPECT_TRUE(within_bound(expected_block(block, x, T, nullptr, kSwish), forward(ffn, x, T)))
            << d_model << "/" << d_ff << " biases " << biases << " T = " << T;
      }
    }
  }
}

TEST_P(OneDnnForms, TakesEveryWeightLayout) {
  const BlockCase block = random_block(24, 36);
  const std::vector<float> x = random_floats(5 * 24, 9);
  const Expected expected = expected_block(block, x, 5, nullptr, kSwish);
  for (const Layout& layout : all_layouts()) {
    const StoredWeights stored = store(block, layout);
    const FeedForward ffn(24, 36, stored.view, onednn_options(GetParam()));
    EXPECT_TRUE(within_bound(expected, forward(ffn, x, 5))) << layout.name();
  }
}

// Both sides of the number of rows up to which strided rows are copied; unaligned pointers; nothing between the rows
// is written.
TEST_P(OneDnnForms, HonoursStridesAlignmentAndAccumulate) {
  constexpr std::size_t kWidth = 40, kHidden = 56, kXStride = 47, kYStride = 43;
  const BlockCase block = random_block(kWidth, kHidden);
  const FeedForward ffn(kWidth, kHidden, block.weights(), onednn_options(GetParam()));
  for (const std::size_t T : {1, 2, 16, 17, 33}) {
    for (const bool accumulate : {false, true}) {
      const std::vector<float> x = random_floats(T * kWidth, T), y0 = random_floats(T * kWidth, T + 1);
      std::vector<float> x_rows(1 + T * kXStride, canary()), y_rows(1 + T * kYStride, canary());
      for (std::size_t t = 0; t < T; ++t) {
        std::copy_n(&x[t * kWidth], kWidth, &x_rows[1 + t * kXStride]);
        if (accumulate) std::copy_n(&y0[t * kWidth], kWidth, &y_rows[1 + t * kYStride]);
      }
      // One float off the alignment, and exactly as long as asked for.
      std::vector<float> workspace(1 + ffn.workspace_bytes(T) / sizeof(float), canary());
      ffn.forward({&x_rows[1], kXStride}, {&y_rows[1], kYStride}, T, &workspace[1], ffn.workspace_bytes(T), accumulate);

      const Expected expected = expected_block(block, x, T, accumulate ? &y0 : nullptr, kSwish);
      EXPECT_TRUE(within_bound(expected, &y_rows[1], kYStride)) << "T = " << T << " accumulate " << accumulate;
      EXPECT_TRUE(all_canaries(y_rows.data(), 1));
      for (std::size_t t = 0; t < T; ++t)
        EXPECT_TRUE(all_canaries(&y_rows[1 + t * kYStride + kWidth], kYStride - kWidth)) << "after row " << t;
    }
  }
}

TEST_P(OneDnnForms, NoRowsTouchNothing) {
  const BlockCase block = random_block(8, 8);
  const FeedForward ffn(8, 8, block.weights(), onednn_options(GetParam()));
  EXPECT_EQ(ffn.workspace_bytes(0), 0u);
  EXPECT_NO_THROW(ffn.forward({}, {}, 0, nullptr, 0));
}

TEST_P(OneDnnForms, ManyRowsNeedBoundedWorkspace) {
  const BlockCase block = random_block(5, 7);
  const FeedForward ffn(5, 7, block.weights(), onednn_options(GetParam()));
  std::size_t previous = 0;
  for (std::size_t T = 0; T <= 5000; ++T) {
    ASSERT_GE(ffn.workspace_bytes(T), previous) << "T = " << T;
    previous = ffn.workspace_bytes(T);
  }
  EXPECT_EQ(ffn.workspace_bytes(5000), ffn.workspace_bytes(static_cast<std::size_t>(-1)));

  constexpr std::size_t kRows = 2 * 4096 + 1;  // three blocks
  const std::vector<float> x = random_floats(kRows * 5, 3);
  EXPECT_TRUE(within_bound(expected_block(block, x, kRows, nullptr, kSwish), forward(ffn, x, kRows)));
}

TEST_P(OneDnnForms, ManyThreadsShareOneObject) {
  const BlockCase block = random_block(32, 48);
  const FeedForward ffn(32, 48, block.weights(), onednn_options(GetParam(), 1));
  std::vector<std::thread> threads;
  for (std::size_t id = 0; id < 4; ++id) {
    threads.emplace_back([&, id] {
      for (std::size_t round = 0; round < 40; ++round) {
        const std::size_t T = 1 + (round + id) % 20;  // more shapes than plans are kept
        const std::vector<float> x = random_floats(T * 32, T);
        EXPECT_TRUE(within_bound(expected_block(block, x, T, nullptr, kSwish), forward(ffn, x, T))) << "T = " << T;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(OneDnnForms, LeavesTheCallersThreadCountAlone) {
  const int before = omp_get_max_threads();
  const BlockCase block = random_block(16, 16);
  const FeedForward ffn(16, 16, block.weights(), onednn_options(GetParam(), static_cast<std::size_t>(before) + 1));
  EXPECT_EQ(ffn.threads(), static_cast<std::size_t>(before) + 1);
  forward(ffn, random_floats(16, 1), 1);
  EXPECT_EQ(omp_get_max_threads(), before);
}

// With oneDNN's own default of 1024 cached primitives this grows by about 60 KiB per primitive (hard case O-01).
TEST_P(OneDnnForms, MemoryStaysBoundedOverChangingT) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers keep freed memory";
#endif
  if (emulated()) GTEST_SKIP() << "an emulator keeps the code that it has translated";
  const BlockCase block = random_block(48, 64);
  const FeedForward ffn(48, 64, block.weights(), onednn_options(GetParam()));
  const std::vector<float> x = random_floats(300 * 48, 1);
  std::vector<float> y(300 * 48);
  const Workspace workspace = ffn.make_workspace(300);
  const auto run = [&](std::size_t first, std::size_t last) {
    for (std::size_t T = first; T <= last; ++T) ffn.forward({x.data()}, {y.data()}, T, workspace);
    return resident_bytes();
  };
  const std::size_t warm = run(1, 100), end = run(101, 300);
  EXPECT_LT(end, warm + (4u << 20)) << "grew by " << (end - warm) / 1024 << " KiB over 200 values of T";
}

TEST(OneDnn, UnknownIsaInTheEnvironmentIsAnError) {
  const ScopedEnv env("ONEDNN_MAX_CPU_ISA", "bogus");
  const BlockCase block = random_block(4, 4);
  try {
    const FeedForward ffn(4, 4, block.weights(), onednn_options(OneDnnForm::wide));
    FAIL() << "oneDNN ignores an unknown name in silence; we must not";
  } catch (const InvalidArgument& e) {
    EXPECT_NE(std::string(e.what()).find("bogus"), std::string::npos) << e.what();
  }
}

TEST(OneDnn, KnownIsaInTheEnvironmentIsNotAnError) {
  const ScopedEnv env("ONEDNN_MAX_CPU_ISA", "AVX2");
  const BlockCase block = random_block(4, 4);
  EXPECT_NO_THROW(FeedForward(4, 4, block.weights(), onednn_options(OneDnnForm::wide)));
}

// The log shows the mode even where oneDNN has no faster kernel for it, as on CPUs without AMX (hard case O-08).
TEST(OneDnn, DefaultFpmathModeCannotLowerThePrecision) {
  const ChildResult child =
      run_child("ONEDNN_DEFAULT_FPMATH_MODE=BF16 ONEDNN_VERBOSE=1", "*OneDnnForms.MatchesReferenceForEveryT*");
  EXPECT_EQ(child.status, 0) << child.output;
  EXPECT_NE(child.output.find("exec,cpu,matmul"), std::string::npos) << child.output;
  EXPECT_EQ(child.output.find("fpmath:bf16"), std::string::npos);
}

// The fused post-ops leaked with the cache off (hard case O-02).
TEST(OneDnn, MemoryStaysBoundedWithoutPrimitiveCache) {
  const ChildResult child = run_child("ONEDNN_PRIMITIVE_CACHE_CAPACITY=0", "*OneDnnForms.MemoryStaysBounded*");
  EXPECT_EQ(child.status, 0) << child.output;
}

// Run by NoReordersInSteadyState.
TEST(OneDnn, DISABLED_SteadyState) {
  const BlockCase block = random_block(64, 96);
  for (const OneDnnForm form : {OneDnnForm::wide, OneDnnForm::post_ops}) {
    const FeedForward ffn(64, 96, block.weights(), onednn_options(form));
    for (const std::size_t T : {1, 20}) {
      const std::vector<float> x = random_floats(T * 64, T);
      forward(ffn, x, T);
      std::printf("steady\n");
      for (int call = 0; call < 3; ++call) forward(ffn, x, T);
      std::printf("end\n");
      std::fflush(stdout);
    }
  }
}

TEST(OneDnn, NoReordersInSteadyState) {
  const ChildResult child = run_child("ONEDNN_VERBOSE=1", "OneDnn.DISABLED_SteadyState");
  ASSERT_EQ(child.status, 0) << child.output;
  EXPECT_NE(child.output.find("reorder"), std::string::npos) << "the log must show construction";
  std::size_t sections = 0;
  for (std::size_t begin = child.output.find("steady\n"); begin != std::string::npos;
       begin = child.output.find("steady\n", begin + 1), ++sections) {
    const std::string log = child.output.substr(begin, child.output.find("end\n", begin) - begin);
    EXPECT_NE(log.find("matmul"), std::string::npos) << log;
    EXPECT_EQ(log.find("reorder"), std::string::npos) << log;
  }
  EXPECT_EQ(sections, 4u);
}

// Run by ForcedIsaLimitsOneDnn and, after the first, by TooLateALimitIsSaid.
TEST(OneDnn, DISABLED_BestIsa) {
  const BlockCase block = random_block(16, 16);
  const FeedForward ffn(16, 16, block.weights(), onednn_options(OneDnnForm::wide));
  forward(ffn, random_floats(16, 1), 1);
}
TEST(OneDnn, DISABLED_ForcedAvx2) {
  const BlockCase block = random_block(16, 16);
  Options options = onednn_options(OneDnnForm::wide);
  options.isa = Isa::avx2;
  const FeedForward ffn(16, 16, block.weights(), options);
  EXPECT_EQ(ffn.isa(), Isa::avx2);
  std::printf("%s", ffn.explain().c_str());
}

bool has_avx512() { return supported_isas().back() == Isa::avx512; }

TEST(OneDnn, ForcedIsaLimitsOneDnn) {
  if (!has_avx512()) GTEST_SKIP() << "nothing above avx2 here";
  const ChildResult child = run_child("ONEDNN_MAX_CPU_ISA=", "OneDnn.DISABLED_ForcedAvx2");
  EXPECT_EQ(child.status, 0) << child.output;
  EXPECT_NE(child.output.find("effective ISA: avx2;"), std::string::npos) << child.output;
  EXPECT_EQ(child.output.find("above the requested"), std::string::npos) << child.output;
}

TEST(OneDnn, TooLateALimitIsSaid) {
  if (!has_avx512()) GTEST_SKIP() << "nothing above avx2 here";
  const ChildResult child = run_child("ONEDNN_MAX_CPU_ISA=", "OneDnn.DISABLED_BestIsa:OneDnn.DISABLED_ForcedAvx2");
  EXPECT_EQ(child.status, 0) << child.output;
  EXPECT_NE(child.output.find("above the requested avx2"), std::string::npos) << child.output;
}

TEST(OneDnn, InfoNamesWhatIsLoadedAndRuns) {
  const auto library = onednn::loaded_library();
  ASSERT_TRUE(library.has_value());
  EXPECT_EQ(library->version.substr(0, 2), "3.");
  EXPECT_FALSE(library->commit.empty());
  EXPECT_FALSE(library->effective_isa.empty());

  const auto wide = onednn::describe_block(64, 96, 16, OneDnnForm::wide, 1);
  ASSERT_EQ(wide.size(), 2u);
  EXPECT_EQ(wide[0].role, "gate_up");
  EXPECT_EQ(wide[1].role, "down");
  const auto post_ops = onednn::describe_block(64, 96, 16, OneDnnForm::post_ops, 1);
  ASSERT_EQ(post_ops.size(), 3u);
  EXPECT_EQ(post_ops[1].role, "up");
  for (const auto& matmul : post_ops) {
    EXPECT_FALSE(matmul.implementation.empty());
    EXPECT_EQ(matmul.implementation.find("ref"), std::string::npos) << "a reference loop is no rival";
    EXPECT_FALSE(matmul.weights_layout.empty());
  }
}

}  // namespace
}  // namespace swiglu::testing
