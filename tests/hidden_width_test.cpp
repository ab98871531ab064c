// The width rule, the parameter count, and what they refuse.

#include <gtest/gtest.h>
#include <swiglu/error.h>
#include <swiglu/hidden_width.h>

#include <cstdint>
#include <limits>
#include <string>

#include "support/error_of.hpp"

namespace swiglu {
namespace {

constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max();

TEST(HiddenWidth, TableOf4096) {
  constexpr std::size_t kExpected[] = {10922, 10922, 10924, 10928, 10928, 10944, 10944, 11008, 11008};
  std::size_t multiple_of = 1;
  for (const std::size_t expected : kExpected) {
    EXPECT_EQ(hidden_width(4096, multiple_of), expected) << "multiple_of " << multiple_of;
    multiple_of *= 2;
  }
}

TEST(HiddenWidth, RulesDiffer) {
  EXPECT_EQ(hidden_width(4096, 1, HiddenRule::floor), 10922u);
  EXPECT_EQ(hidden_width(4096, 1, HiddenRule::exact), 10923u);
  EXPECT_EQ(hidden_width(3, 1, HiddenRule::floor), 8u);  // 8·3/3 is an integer: no difference
  EXPECT_EQ(hidden_width(3, 1, HiddenRule::exact), 8u);
}

TEST(HiddenWidth, MatchesTheFormulasNearZero) {
  for (std::size_t d = 1; d <= 200; ++d) {
    for (std::size_t m = 1; m <= 70; ++m) {
      const std::size_t floored = 8 * d / 3;
      EXPECT_EQ(hidden_width(d, m, HiddenRule::floor), (floored + m - 1) / m * m);
      EXPECT_EQ(hidden_width(d, m, HiddenRule::exact), (8 * d + 3 * m - 1) / (3 * m) * m);
    }
  }
}

TEST(HiddenWidth, RepeatsPointsOfTheLlamaRule) {
  for (const std::size_t d : {768, 1536, 3072}) {
    for (std::size_t m = 1; m <= 256; m *= 2) EXPECT_EQ(hidden_width(d, m), 8 * d / 3);
  }
}

TEST(HiddenWidth, ZeroArguments) {
  EXPECT_NE(error_of([] { hidden_width(0); }).find("d_model = 0"), std::string::npos);
  EXPECT_NE(error_of([] { hidden_width(4096, 0); }).find("multiple_of = 0"), std::string::npos);
  EXPECT_NE(error_of([] { hidden_width(4096, 1, HiddenRule::floor, 0); }).find("ranks = 0"), std::string::npos);
  EXPECT_NE(error_of([] { hidden_width(4096, 1, static_cast<HiddenRule>(7)); }).find("rule = 7"), std::string::npos);
}

TEST(HiddenWidth, Ranks) {
  EXPECT_EQ(hidden_width(4096, 256, HiddenRule::floor, 8), 11008u);
  const std::string error = error_of([] { hidden_width(4096, 256, HiddenRule::floor, 3); });
  EXPECT_NE(error.find("ranks = 3"), std::string::npos) << error;
  EXPECT_NE(error.find("11008"), std::string::npos) << error;
  EXPECT_NE(error.find("nearest multiple_of that works is 255"), std::string::npos) << error;
  EXPECT_EQ(hidden_width(4096, 255, HiddenRule::floor, 3) % 3, 0u);
}

TEST(HiddenWidth, SuggestsTheNearestMultipleThatWorks) {
  const auto works = [](std::size_t d, std::size_t m, std::size_t ranks) { return hidden_width(d, m) % ranks == 0; };
  int failures = 0;
  for (std::size_t d = 1; d <= 60; ++d) {
    for (std::size_t m = 1; m <= 12; ++m) {
      for (std::size_t ranks = 2; ranks <= 9; ++ranks) {
        if (works(d, m, ranks)) continue;
        ++failures;
        std::size_t distance = 1;
        while (!works(d, m + distance, ranks) && (m <= distance || !works(d, m - distance, ranks))) ++distance;
        const std::string error = error_of([&] { hidden_width(d, m, HiddenRule::floor, ranks); });
        const std::size_t suggested = std::stoul(error.substr(error.rfind(' ') + 1));
        EXPECT_TRUE(suggested == m + distance || suggested + distance == m) << error;
        EXPECT_TRUE(works(d, suggested, ranks)) << error;
      }
    }
  }
  EXPECT_GT(failures, 1000);
}

TEST(HiddenWidth, AbsurdRanksFailFast) {
  const std::size_t ranks = std::size_t{1} << 40;
  const std::string error = error_of([&] { hidden_width(4096, 256, HiddenRule::floor, ranks); });
  EXPECT_NE(error.find("nearest multiple_of that works is " + std::to_string(ranks)), std::string::npos) << error;
}

TEST(HiddenWidth, Overflow) {
  const std::size_t largest = kMaxSize / 8 * 3;
  EXPECT_EQ(hidden_width(largest, 1), kMaxSize / 8 * 8);
  for (const std::size_t d : {kMaxSize, kMaxSize / 2, largest + 9}) {
    EXPECT_NE(error_of([&] { hidden_width(d, 1); }).find("overflows"), std::string::npos) << d;
  }
  EXPECT_NE(error_of([] { hidden_width(kMaxSize / 8 * 3, kMaxSize / 2 + 1); }).find("overflows"), std::string::npos);
  EXPECT_EQ(hidden_width(1, kMaxSize), kMaxSize);
}

TEST(ParameterCount, KnownModels) {
  EXPECT_EQ(parameter_count(4096, 11008), 135266304u);
  EXPECT_EQ(parameter_count(576, 1536), 2654208u);
}

TEST(ParameterCount, Biases) {
  EXPECT_EQ(parameter_count(5, 7, true, false), 105u + 14u);
  EXPECT_EQ(parameter_count(5, 7, false, true), 105u + 5u);
  EXPECT_EQ(parameter_count(5, 7, true, true), 105u + 14u + 5u);
}

TEST(ParameterCount, Overflow) {
  const std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(parameter_count(1, max / 3), max);  // 2^64 - 1 divides by 3
  EXPECT_THROW(parameter_count(1, max / 3, false, true), InvalidArgument);
  EXPECT_THROW(parameter_count(1, max / 3, true, false), InvalidArgument);
  EXPECT_THROW(parameter_count(std::uint64_t{1} << 33, std::uint64_t{1} << 33), InvalidArgument);
  EXPECT_NE(error_of([] { parameter_count(std::uint64_t{1} << 33, std::uint64_t{1} << 33); }).find("8589934592"),
            std::string::npos);
}

}  // namespace
}  // namespace swiglu
