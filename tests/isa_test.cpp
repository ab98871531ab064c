// Dispatch: names, forcing by argument and by environment, features, tunings, explanations. No kernel runs here.

#include <gtest/gtest.h>
#include <swiglu/swiglu.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "dispatch/cpu_features.hpp"
#include "dispatch/kernel_sets.hpp"
#include "dispatch/tuning.hpp"
#include "support/error_of.hpp"

namespace swiglu {
namespace {

constexpr Isa kEveryIsa[] = {Isa::portable, Isa::avx2, Isa::avx512, Isa::neon};

/// Sets SWIGLU_ISA, or another variable, for one scope.
class Environment {
 public:
  explicit Environment(const char* value, const char* name = "SWIGLU_ISA") : name_(name) {
    if (const char* old = std::getenv(name_)) {
      old_ = old;
      was_set_ = true;
    }
    if (value == nullptr) {
      unsetenv(name_);
    } else {
      setenv(name_, value, 1);
    }
  }
  ~Environment() {
    if (was_set_) {
      setenv(name_, old_.c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::string old_;
  bool was_set_ = false;
};

bool contains(const std::vector<Isa>& isas, Isa isa) { return std::find(isas.begin(), isas.end(), isa) != isas.end(); }
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::vector<Isa> unavailable_isas() {
  std::vector<Isa> isas;
  for (const Isa isa : kEveryIsa) {
    if (!contains(supported_isas(), isa)) isas.push_back(isa);
  }
  return isas;
}

TEST(IsaName, RoundTrip) {
  for (const Isa isa : kEveryIsa) EXPECT_EQ(parse_isa(to_string(isa)), isa);
  EXPECT_EQ(parse_isa("automatic"), Isa::automatic);
  EXPECT_STREQ(to_string(Isa::automatic), "automatic");
  EXPECT_STREQ(to_string(static_cast<Isa>(99)), "invalid");
}

TEST(IsaName, NoTrimmingNoFolding) {
  for (const char* name : {"", "AVX2", " avx2", "avx2 ", "avx", "avx5120", "scalar", "invalid"}) {
    const std::string error = error_of<InvalidArgument>([&] { parse_isa(name); });
    EXPECT_TRUE(contains(error, "\"" + std::string(name) + "\"")) << error;
    EXPECT_TRUE(contains(error, "automatic, portable, avx2, avx512, neon")) << error;
  }
}

TEST(IsaLists, AreConsistent) {
  const std::vector<Isa> compiled = compiled_isas();
  EXPECT_TRUE(contains(compiled, Isa::portable));
  EXPECT_FALSE(contains(compiled, Isa::automatic));
  for (const Isa isa : supported_isas()) EXPECT_TRUE(contains(compiled, isa));
  EXPECT_TRUE(contains(supported_isas(), Isa::portable)) << "the baseline runs everywhere";
}

TEST(IsaLists, AgreeWithTheCompilerOfThisMachine) {
#if defined(__x86_64__)
  // libgcc's own detection looks at CPUID and XCR0 too.
  __builtin_cpu_init();
  EXPECT_EQ(contains(supported_isas(), Isa::avx2), __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
  EXPECT_EQ(contains(supported_isas(), Isa::avx512),
            __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"));
#elif defined(__aarch64__)
  EXPECT_TRUE(contains(supported_isas(), Isa::neon));
#endif
}

TEST(ResolveIsa, ExplicitIsKept) {
  const Environment environment("portable");
  for (const Isa isa : supported_isas()) EXPECT_EQ(resolve_isa(isa), isa);
}

TEST(ResolveIsa, AutomaticTakesTheBest) {
  for (const char* value : {static_cast<const char*>(nullptr), "", "automatic"}) {
    const Environment environment(value);
    EXPECT_EQ(resolve_isa(), supported_isas().back());
  }
}

TEST(ResolveIsa, EnvironmentForces) {
  for (const Isa isa : supported_isas()) {
    const Environment environment(to_string(isa));
    EXPECT_EQ(resolve_isa(), isa);
  }
}

TEST(ResolveIsa, UnknownEnvironmentIsLoud) {
  for (const char* value : {"bogus", "AVX2", " avx2", "avx2 ", "scalar", "avx2,avx512"}) {
    const Environment environment(value);
    const std::string error = error_of<InvalidArgument>([] { resolve_isa(); });
    EXPECT_TRUE(contains(error, "SWIGLU_ISA = \"" + std::string(value) + "\"")) << error;
    EXPECT_EQ(resolve_isa(Isa::portable), Isa::portable) << "an explicit choice does not look at the environment";
  }
}

TEST(ResolveIsa, UnavailableIsLoud) {
  ASSERT_FALSE(unavailable_isas().empty()) << "no machine runs both AVX2 and NEON";
  for (const Isa isa : unavailable_isas()) {
    const std::string name = to_string(isa);
    const std::string error = error_of<Unsupported>([&] { resolve_isa(isa); });
    EXPECT_TRUE(contains(error, "isa = " + name)) << error;
    EXPECT_TRUE(contains(error, "Available: portable")) << error;

    const Environment environment(name.c_str());
    const std::string forced = error_of<Unsupported>([] { resolve_isa(); });
    EXPECT_TRUE(contains(forced, "SWIGLU_ISA = " + name)) << forced;
    EXPECT_TRUE(contains(forced, "Available: portable")) << forced;
  }
}

TEST(ResolveIsa, NotAnIsa) {
  EXPECT_TRUE(contains(error_of<InvalidArgument>([] { resolve_isa(static_cast<Isa>(99)); }), "isa = 99"));
}

TEST(KernelSets, AreWhatWasAskedFor) {
  for (const Isa isa : supported_isas()) EXPECT_EQ(kernel_set(isa).isa, isa);
  for (const Isa isa : unavailable_isas()) EXPECT_THROW(kernel_set(isa), Unsupported);
}

TEST(ExplainIsa, NamesEveryIsaAndTheReason) {
  const Environment environment(nullptr);
  const std::string text = explain_isa();
  for (const Isa isa : kEveryIsa) EXPECT_TRUE(contains(text, std::string(to_string(isa)) + ": ")) << text;
  for (const Isa isa : supported_isas()) {
    EXPECT_TRUE(contains(text, std::string(to_string(isa)) + ": compiled, runs here\n")) << text;
  }
  EXPECT_TRUE(contains(text, "automatic -> " + std::string(to_string(supported_isas().back())))) << text;
  EXPECT_TRUE(contains(text, "best")) << text;
}

TEST(ExplainIsa, SaysWhoForcedIt) {
  const Environment environment("portable");
  EXPECT_TRUE(contains(explain_isa(), "automatic -> portable (forced by SWIGLU_ISA)")) << explain_isa();
  EXPECT_TRUE(contains(explain_isa(Isa::portable), "portable -> portable (asked for")) << explain_isa(Isa::portable);
}

TEST(ExplainIsa, DoesNotThrow) {
  const Environment environment("bogus");
  EXPECT_TRUE(contains(explain_isa(), "automatic -> error: SWIGLU_ISA = \"bogus\"")) << explain_isa();
  for (const Isa isa : unavailable_isas()) EXPECT_TRUE(contains(explain_isa(isa), "-> error: isa = "));
}

TEST(Features, OsMustEnableTheRegisters) {
  constexpr std::uint32_t kLeaf1 = 1u << 12 | 1u << 28;
  constexpr std::uint32_t kLeaf7 = 1u << 5 | 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
  const Features no_os = decode_x86_features(kLeaf1, kLeaf7, 0);
  EXPECT_EQ(no_os & (kFeatureOsYmm | kFeatureOsZmm), 0u);
  EXPECT_EQ(no_os, kFeatureAvx | kFeatureFma | kFeatureAvx2 | kFeatureAvx512f | kFeatureAvx512cd | kFeatureAvx512dq |
                       kFeatureAvx512bw | kFeatureAvx512vl);
  EXPECT_EQ(decode_x86_features(kLeaf1, kLeaf7, 0x07), no_os | kFeatureOsYmm);
  EXPECT_EQ(decode_x86_features(kLeaf1, kLeaf7, 0xe7), no_os | kFeatureOsYmm | kFeatureOsZmm);
  EXPECT_EQ(decode_x86_features(kLeaf1, kLeaf7, 0x67), no_os | kFeatureOsYmm) << "zmm16-31 are not saved";
  EXPECT_EQ(decode_x86_features(kLeaf1, kLeaf7, 0x03), no_os) << "ymm are not saved";
}

TEST(Features, EachBitIsItsOwn) {
  struct Case {
    std::uint32_t leaf1, leaf7;
    Features feature;
  };
  constexpr Case kCases[] = {
      {1u << 12, 0, kFeatureFma},      {1u << 28, 0, kFeatureAvx},      {0, 1u << 5, kFeatureAvx2},
      {0, 1u << 16, kFeatureAvx512f},  {0, 1u << 17, kFeatureAvx512dq}, {0, 1u << 28, kFeatureAvx512cd},
      {0, 1u << 30, kFeatureAvx512bw}, {0, 1u << 31, kFeatureAvx512vl},
  };
  for (const Case& c : kCases) EXPECT_EQ(decode_x86_features(c.leaf1, c.leaf7, 0), c.feature);
  EXPECT_EQ(decode_x86_features(~(1u << 12 | 1u << 28), 0, 0), 0u) << "no other bit of leaf 1 matters";
}

TEST(Features, MissingOnesAreNamed) {
  EXPECT_EQ(describe_missing(0), "");
  EXPECT_EQ(describe_missing(kFeatureAvx2 | kFeatureFma), "CPU lacks fma, avx2");
  EXPECT_EQ(describe_missing(kFeatureOsZmm), "the OS does not enable zmm registers (XCR0)");
  EXPECT_EQ(describe_missing(kFeatureAvx512f | kFeatureOsZmm),
            "CPU lacks avx512f; the OS does not enable zmm registers (XCR0)");
}

TEST(BackendName, RoundTrip) {
  for (const Backend backend : {Backend::native, Backend::onednn, Backend::reference}) {
    EXPECT_EQ(parse_backend(to_string(backend)), backend);
  }
  for (const char* name : {"", "Native", "dnnl", " native"}) {
    EXPECT_TRUE(contains(error_of<InvalidArgument>([&] { parse_backend(name); }), "native, onednn, reference"));
  }
  const std::vector<Backend> compiled = compiled_backends();
  EXPECT_EQ(std::count(compiled.begin(), compiled.end(), Backend::native), 1);
  EXPECT_EQ(std::count(compiled.begin(), compiled.end(), Backend::reference), 1);
}

TEST(Version, HeaderAndLibraryAgree) { EXPECT_STREQ(version(), SWIGLU_VERSION); }

// Per object: the environment is read when an object is made, and never by forward().
TEST(ObjectIsa, FollowsArgumentThenEnvironment) {
  const std::vector<float> ones(4, 1.0f);
  const Weights weights = Weights::separate({ones.data()}, {ones.data()}, {ones.data()});
  for (const Isa isa : supported_isas()) {
    Options options;
    options.isa = isa;
    const Environment environment("portable");
    const FeedForward forced(2, 2, weights, options);
    EXPECT_EQ(forced.isa(), isa);
    const FeedForward by_environment(2, 2, weights);
    EXPECT_EQ(by_environment.isa(), Isa::portable);
    EXPECT_TRUE(contains(by_environment.explain(), "forced by SWIGLU_ISA")) << by_environment.explain();

    const Environment bogus("bogus");
    const Workspace workspace = forced.make_workspace();
    float y[2];
    EXPECT_NO_THROW(forced.forward({ones.data()}, {y}, 1, workspace));
    EXPECT_THROW(FeedForward(2, 2, weights), InvalidArgument);
  }
}

TEST(Tuning, FollowsTheCacheSize) {
  using kernels::CacheClass;
  for (const long unknown : {-1L, 0L}) EXPECT_EQ(cache_class_of(unknown), CacheClass::large_l1);
  for (const long small : {1L, 32768L}) EXPECT_EQ(cache_class_of(small), CacheClass::small_l1);
  for (const long large : {32769L, 49152L, 131072L}) EXPECT_EQ(cache_class_of(large), CacheClass::large_l1);
}

TEST(Tuning, FollowsTheEnvironment) {
  const std::vector<float> ones(4, 1.0f);
  const Weights weights = Weights::separate({ones.data()}, {ones.data()}, {ones.data()});
  for (const kernels::CacheClass caches : {kernels::CacheClass::large_l1, kernels::CacheClass::small_l1}) {
    const std::string name = caches == kernels::CacheClass::large_l1 ? "large_l1" : "small_l1";
    const Environment environment(name.c_str(), "SWIGLU_TUNING");
    EXPECT_EQ(choose_tuning().caches, caches);
    for (const Isa isa : supported_isas()) {  // and the object runs with it: k blocks differ on avx2 and avx512
      Options options;
      options.isa = isa;
      const std::string text = FeedForward(2, 2, weights, options).explain();
      const std::size_t k_block = kernel_set(isa).tunings[static_cast<std::size_t>(caches)].k_block;
      EXPECT_TRUE(contains(text, "k blocks of " + std::to_string(k_block) + ",")) << text;
      EXPECT_TRUE(contains(text, "tuning: " + name + " (forced by SWIGLU_TUNING)")) << text;
    }
  }
  for (const char* automatic : {"", "automatic"}) {
    const Environment environment(automatic, "SWIGLU_TUNING");
    const std::string text = FeedForward(2, 2, weights).explain();
    EXPECT_TRUE(contains(text, "tuning: ") && contains(text, "L1 data cache")) << text;
  }
  const Environment bogus("bogus", "SWIGLU_TUNING");
  for (const Backend backend : compiled_backends()) {
    Options options;
    options.backend = backend;
    EXPECT_TRUE(contains(error_of([&] { FeedForward(2, 2, weights, options); }),
                         "SWIGLU_TUNING = \"bogus\": must be one of automatic, large_l1, small_l1"));
  }
}

TEST(ObjectIsa, UnavailableIsLoud) {
  const std::vector<float> ones(4, 1.0f);
  const Weights weights = Weights::separate({ones.data()}, {ones.data()}, {ones.data()});
  for (const Isa isa : unavailable_isas()) {
    for (const Backend backend : compiled_backends()) {
      Options options;
      options.backend = backend;
      options.isa = isa;
      EXPECT_THROW(FeedForward(2, 2, weights, options), Unsupported);
    }
    EXPECT_THROW(silu(ones.data(), const_cast<float*>(ones.data()), 4, isa), Unsupported);
  }
}

}  // namespace
}  // namespace swiglu
