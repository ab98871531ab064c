// A host may flush subnormals to zero, round otherwise, or unmask exceptions, in the calling thread or in its
// executor's: the bits are those of the default mode, and its own mode is as it was. Exceptions prove themselves: a
// library that computed with them unmasked would end this process (SIGFPE).

#include <gtest/gtest.h>
#include <swiglu/swiglu.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/activations.hpp"
#include "support/bits.hpp"
#include "support/block_case.hpp"
#include "support/error_of.hpp"
#include "support/executors.hpp"
#include "support/floating_point_modes.hpp"
#include "support/glu_arrays.hpp"
#include "support/isa_param.hpp"
#include "support/random.hpp"

namespace swiglu::testing {
namespace {

/// f() of a thread in `mode`, which must be the same afterwards.
template <class F>
auto in_mode(const FloatingPointMode& mode, const F& f) {
  bool unchanged = false;
  auto result = [&] {
    const InMode set(mode);
    auto value = f();
    unchanged = set.unchanged();
    return value;
  }();
  EXPECT_TRUE(unchanged) << "the mode of a host with " << mode.name << " is another one after the call";
  return result;
}

/// Two modes that meet.
struct TwoModes {
  FloatingPointMode here, there;
};

/// Every mode beside the default (the first), both ways, and beside itself.
std::vector<TwoModes> pairs_of(const std::vector<FloatingPointMode>& modes) {
  std::vector<TwoModes> pairs;
  for (const FloatingPointMode& mode : modes) {
    pairs.push_back({mode, modes.front()});
    pairs.push_back({modes.front(), mode});
    pairs.push_back({mode, mode});
  }
  return pairs;
}

/// A host that runs every task in a thread of its own, in some mode.
class ExecutorInMode final : public Executor {
 public:
  /// For the next call: modes of its caller and of the threads.
  void expect(const FloatingPointMode& callers, const FloatingPointMode& threads) {
    callers_ = callers;
    threads_ = threads;
    tasks_ = 0;
  }

  std::size_t concurrency() const noexcept override { return 3; }
  void parallel_for(std::size_t count, Task task, void* context) override {
    if (floating_point_control() != callers_.control) ++strange_modes_;  // this is the host's code, not the library's
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < count; ++i) {
      threads.emplace_back([=] {
        const InMode set(threads_);
        task(context, i);
        if (!set.unchanged()) ++strange_modes_;
        ++tasks_;
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  int tasks() const { return tasks_; }
  int strange_modes() const { return strange_modes_; }

 private:
  FloatingPointMode callers_ = floating_point_modes().front(), threads_ = callers_;
  std::atomic<int> tasks_{0}, strange_modes_{0};
};

/// A block with work for several threads whose gates, hidden rows and results are subnormal.
BlockCase subnormal_block() {
  BlockCase block = random_block(420, 700);
  for (std::vector<float>* part : {&block.gate, &block.gate_bias, &block.down_bias}) {
    for (float& weight : *part) weight *= 0x1p-128f;
  }
  return block;
}

constexpr std::size_t kRows = 5;

TEST(FloatingPointModes, AreAllAvailableHere) {
  std::string missing;
  for (const FloatingPointMode& mode : floating_point_modes()) {
    bool found = false;
    for (const FloatingPointMode& available : available_floating_point_modes()) {
      found = found || available.control == mode.control;
    }
    if (!found) missing += (missing.empty() ? "" : "; ") + std::string(mode.name);
  }
  if (!missing.empty()) GTEST_SKIP() << "this CPU ignores the request for: " << missing;
}

// Without this the other tests could pass because no mode does anything.
TEST(FloatingPointModes, ChangeArithmetic) {
  volatile float one = 1, three = 3, minus_three = -3, tiny = 0x1p-130f, half = 0.5f;
  const auto results = [&] { return std::vector<float>{one / three, one / minus_three, tiny * half}; };
  const std::vector<float> by_default = results();
  bool traps = false;
  for (const FloatingPointMode& mode : available_floating_point_modes()) {
    traps = traps || mode.traps;
    if (mode.traps || mode.control == floating_point_control()) continue;
    EXPECT_FALSE(same_bits(in_mode(mode, results), by_default)) << mode.name;
  }
  if (!traps) return;
  if (emulated()) GTEST_SKIP() << "qemu-user takes unmasked exceptions, but never traps: that part proves nothing here";
  if (kThreadSanitizer) GTEST_SKIP() << "fork() with threads is more than ThreadSanitizer follows";
  for (const FloatingPointMode& mode : available_floating_point_modes()) {
    if (!mode.traps) continue;
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      std::signal(SIGFPE, SIG_DFL);
      const InMode set(mode);
      volatile float third = one / three;
      _exit(third > 0 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGFPE) << mode.name << ": status " << status;
  }
}

class FloatingPointModeOfHost : public IsaTest {
 protected:
  void SetUp() override {
    IsaTest::SetUp();
    modes_ = available_floating_point_modes();
  }

  std::vector<FloatingPointMode> modes_;  // the default first
};
SWIGLU_FOR_EVERY_ISA(FloatingPointModeOfHost);

TEST_P(FloatingPointModeOfHost, ForwardInTheCallingThread) {
  for (const BlockCase& block : {random_block(420, 700), subnormal_block()}) {
    const FeedForward ff(block.d_model, block.d_ff, block.weights(), single_threaded(GetParam()));
    const std::vector<float> x = random_floats(kRows * block.d_model, 1);
    const std::vector<float> expected = forward(ff, x, kRows), sum = forward_accumulate(ff, x, expected, kRows);
    for (const FloatingPointMode& mode : modes_) {
      EXPECT_TRUE(same_bits(in_mode(mode, [&] { return forward(ff, x, kRows); }), expected)) << mode.name;
      EXPECT_TRUE(same_bits(in_mode(mode, [&] { return forward_accumulate(ff, x, expected, kRows); }), sum))
          << mode.name;
    }
  }
}

// The pool's worker inherits the mode of whoever creates it, and then meets callers in others.
TEST_P(FloatingPointModeOfHost, ForwardOnThePool) {
  for (const BlockCase& block : {random_block(420, 700), subnormal_block()}) {
    const std::vector<float> x = random_floats(kRows * block.d_model, 1);
    const FeedForward single(block.d_model, block.d_ff, block.weights(), single_threaded(GetParam()));
    const std::vector<float> expected = forward(single, x, kRows);
    for (const auto& [creators, callers] : pairs_of(modes_)) {
      Options options;
      options.isa = GetParam();
      options.threads = 2;
      const FeedForward ff =
          in_mode(creators, [&] { return FeedForward(block.d_model, block.d_ff, block.weights(), options); });
      for (int i = 0; i < (emulated() ? 2 : 50); ++i) {
        ASSERT_TRUE(same_bits(in_mode(callers, [&] { return forward(ff, x, kRows); }), expected))
            << "call " << i << " in " << callers.name << ", created in " << creators.name;
      }
    }
  }
}

TEST_P(FloatingPointModeOfHost, ForwardOnAHostsExecutor) {
  for (const BlockCase& block : {random_block(420, 700), subnormal_block()}) {
    const std::vector<float> x = random_floats(kRows * block.d_model, 1);
    const FeedForward single(block.d_model, block.d_ff, block.weights(), single_threaded(GetParam()));
    const std::vector<float> expected = forward(single, x, kRows);
    const auto executor = std::make_shared<ExecutorInMode>();
    Options options;
    options.isa = GetParam();
    options.executor = executor;
    const FeedForward ff(block.d_model, block.d_ff, block.weights(), options);
    for (const auto& [callers, threads] : pairs_of(modes_)) {
      executor->expect(callers, threads);
      const std::vector<float> y = in_mode(callers, [&] { return forward(ff, x, kRows); });
      EXPECT_TRUE(same_bits(y, expected)) << "caller in " << callers.name << ", threads in " << threads.name;
      EXPECT_GE(executor->tasks(), 4) << "two tasks in each of two phases";
      EXPECT_EQ(executor->strange_modes(), 0) << "caller in " << callers.name << ", threads in " << threads.name;
    }
  }
}

// Parameters are arithmetic, too: 1/β, and whether a subnormal one is 0.
TEST_P(FloatingPointModeOfHost, BlocksOfEveryActivation) {
  const BlockCase block = random_block(16, 16);
  const std::vector<float> x = random_floats(2 * block.d_model, 1);
  for (const Activation& activation : all_kinds_of_activations()) {
    Options options = single_threaded(GetParam());
    options.activation = activation;
    const auto run = [&] { return forward(FeedForward(16, 16, block.weights(), options), x, 2); };
    const std::vector<float> expected = run();
    for (const FloatingPointMode& mode : modes_) {
      EXPECT_TRUE(same_bits(in_mode(mode, run), expected)) << to_string(activation) << " in " << mode.name;
    }
  }
}

TEST_P(FloatingPointModeOfHost, SingleFunctions) {
  const Isa isa = GetParam();
  const GluArrays arrays = arrays_of_all_exponents(emulated() ? 503 : 5003, 1);
  for (std::vector<float> x : {arrays.gate, special_values(), std::vector<float>{0x1p-140f}}) {
    for (int f = 0; f <= static_cast<int>(Function::gelu_quick); ++f) {
      const auto run = [&] {
        std::vector<float> out(x.size(), canary());
        apply(static_cast<Function>(f), x.data(), out.data(), x.size(), isa);
        return out;
      };
      const std::vector<float> expected = run();
      for (const FloatingPointMode& mode : modes_) {
        EXPECT_TRUE(same_bits(in_mode(mode, run), expected)) << "function " << f << " in " << mode.name;
      }
    }
  }
}

TEST_P(FloatingPointModeOfHost, Glu) {
  const Isa isa = GetParam();
  for (const GluArrays& in : {ordinary_arrays(203, 1), arrays_of_all_exponents(emulated() ? 203 : 1003, 2)}) {
    std::vector<float> rows = in.gate;  // one row of [gate | up]
    rows.insert(rows.end(), in.up.begin(), in.up.end());
    for (const Activation& activation : all_kinds_of_activations()) {
      const std::vector<float> expected = glu_of(activation, in, isa);
      const auto run_rows = [&] {
        std::vector<float> out(in.size(), canary());
        glu_rows(activation, GateUpLayout::halves_gate_first, rows.data(), rows.size(), out.data(), in.size(), 1,
                 in.size(), isa);
        return out;
      };
      for (const FloatingPointMode& mode : modes_) {
        EXPECT_TRUE(same_bits(in_mode(mode, [&] { return glu_of(activation, in, isa); }), expected))
            << to_string(activation) << " in " << mode.name;
        EXPECT_TRUE(same_bits(in_mode(mode, run_rows), expected)) << to_string(activation) << " in " << mode.name;
      }
    }
  }
}

TEST_P(FloatingPointModeOfHost, GluBackward) {
  const Isa isa = GetParam();
  for (const GluArrays& in : {ordinary_arrays(203, 1), arrays_of_all_exponents(emulated() ? 203 : 1003, 2)}) {
    for (const Activation& activation : all_kinds_of_activations()) {
      const GluGradients expected = glu_backward_of(activation, in, isa);
      for (const FloatingPointMode& mode : modes_) {
        const GluGradients out = in_mode(mode, [&] { return glu_backward_of(activation, in, isa); });
        EXPECT_TRUE(same_bits(out.gate, expected.gate)) << to_string(activation) << " in " << mode.name;
        EXPECT_TRUE(same_bits(out.up, expected.up)) << to_string(activation) << " in " << mode.name;
      }
    }
  }
}

TEST_P(FloatingPointModeOfHost, IsKeptByRefusedCalls) {
  const BlockCase block = random_block(16, 16);
  const FeedForward ff(16, 16, block.weights(), single_threaded(GetParam()));
  std::vector<float> v(64);
  Activation bad;
  bad.multiplier = 0;
  for (const FloatingPointMode& mode : modes_) {
    const int refused = in_mode(mode, [&] {
      int count = 0;
      const auto expect_refusal = [&](const auto& call) {
        try {
          call();
        } catch (const InvalidArgument&) {
          ++count;
        }
      };
      expect_refusal([&] { ff.forward({v.data()}, {nullptr}, 1, v.data(), 0); });
      expect_refusal([&] { glu(bad, v.data(), v.data(), v.data(), 4, GetParam()); });
      expect_refusal([&] { apply(Function::exp, v.data(), nullptr, 4, GetParam()); });
      expect_refusal([&] { parse_activation("gpt_oss:alpha=0"); });
      return count;
    });
    EXPECT_EQ(refused, 4) << mode.name;
  }
}

TEST(FloatingPointModeOfHostActivation, TextAndEquality) {
  const auto same_parameters = [](const Activation& a, const Activation& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
  };
  const float smallest = std::numeric_limits<float>::denorm_min();
  const Activation one = Activation::swiglu(smallest), two = Activation::swiglu(2 * smallest);
  for (const FloatingPointMode& mode : available_floating_point_modes()) {
    for (const Activation& activation : all_kinds_of_activations()) {
      const std::string text = to_string(activation);
      EXPECT_TRUE(same_parameters(in_mode(mode, [&] { return parse_activation(text); }), activation))
          << text << " in " << mode.name;
      EXPECT_EQ(in_mode(mode, [&] { return to_string(activation); }), text) << mode.name;
    }
    EXPECT_EQ(in_mode(mode, [&] { return to_string(one); }), "swiglu:multiplier=1e-45") << mode.name;
    Activation refused = Activation::gpt_oss();
    refused.limit = -smallest;
    const std::string message = in_mode(mode, [&] { return error_of([&] { refused.validate(); }); });
    EXPECT_NE(message.find("activation.limit = -1e-45"), std::string::npos) << message << " in " << mode.name;
    EXPECT_FALSE(in_mode(mode, [&] { return one == two; })) << mode.name;
    EXPECT_TRUE(in_mode(mode, [&] { return one == one; })) << mode.name;
  }
}

void expect_same_bits_on(Backend backend) {
  Options options;
  options.threads = 1;
  options.backend = backend;
  for (const BlockCase& block : {random_block(42, 70), subnormal_block()}) {
    const std::vector<float> x = random_floats(kRows * block.d_model, 1);
    const auto run = [&] {
      const FeedForward ff(block.d_model, block.d_ff, block.weights(), options);
      return forward_accumulate(ff, x, forward(ff, x, kRows), kRows);
    };
    const std::vector<float> expected = run();
    for (const FloatingPointMode& mode : available_floating_point_modes()) {
      EXPECT_TRUE(same_bits(in_mode(mode, run), expected)) << mode.name;
    }
  }
}

TEST(FloatingPointModeOfHostReference, Forward) { expect_same_bits_on(Backend::reference); }

// On one thread: the mode of OpenMP's others is not ours to set.
TEST(OneDnnFloatingPointModeOfHost, ForwardOnOneThread) {
  const std::vector<Backend> backends = compiled_backends();
  if (std::find(backends.begin(), backends.end(), Backend::onednn) == backends.end()) {
    GTEST_SKIP() << "this library was built without oneDNN";
  }
  expect_same_bits_on(Backend::onednn);
}

}  // namespace
}  // namespace swiglu::testing
