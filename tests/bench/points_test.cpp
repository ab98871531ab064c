// Which points a command line means, and what they are called.

#include "points.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sweep.hpp"

namespace swiglu::bench {
namespace {

MachineLimits limits() { return {2, {resolve_isa()}, resolve_isa()}; }

std::vector<Point> points_of(std::vector<std::string> words) {
  words.insert(words.begin(), {"swiglu-bench", "paired"});
  return build_points(parse_options(words), limits());
}

TEST(BenchPoints, OddMultiples) {
  // benchmarking.md, section 4
  const std::size_t of_4096[] = {10923, 10922, 10924, 10920, 10928, 10912, 10944, 10880, 11008};
  const std::size_t of_2048[] = {5461, 5462, 5460, 5464, 5456, 5472, 5440, 5504, 5376};
  for (std::size_t i = 0; i < 9; ++i) {
    const std::size_t m = std::size_t{1} << i;
    EXPECT_EQ(swept_hidden(HiddenChoice::exact, 4096, m), of_4096[i]);
    EXPECT_EQ(swept_hidden(HiddenChoice::exact, 2048, m), of_2048[i]);
    EXPECT_EQ(swept_hidden(HiddenChoice::exact, 64, m) % (2 * m), m) << "m is the largest power of two";
  }
  EXPECT_EQ(swept_hidden(HiddenChoice::round_up, 4096, 256), 11008u);
  EXPECT_EQ(swept_hidden(HiddenChoice::round_up, 4096, 2), 10922u);
}

TEST(BenchPoints, Names) {
  const Point point{fixed_shape(4096, 10880, "", ""), 1, 8, Isa::avx512, Cache::wei, {}};
  EXPECT_EQ(row_name(point, kNative), "ffn/d:4096/h:10880/m:128/T:1/impl:native/isa:avx512/dt:f32/thr:8/cache:wei");
  EXPECT_EQ(row_name(point, kFfn2), "ffn2/d:4096/h:16384/m:256/T:1/impl:ffn2/isa:avx512/dt:f32/thr:8/cache:wei");
}

TEST(BenchPoints, OtherActivationsAreInTheName) {
  const auto points = points_of({"--d-model", "64", "--tokens", "1", "--activation", "gpt_oss:limit=5"});
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NE(row_name(points[0], kNative).find("/m:256/act:gpt_oss:limit=5/T:1/"), std::string::npos);
  EXPECT_NE(row_name(points[0], kFfn2).find("/m:256/act:gpt_oss:limit=5/T:1/"), std::string::npos);
  const auto same = points_of({"--d-model", "64", "--tokens", "1", "--activation", "swiglu"});
  EXPECT_EQ(row_name(same.at(0), kNative).find("act:"), std::string::npos);
}

TEST(BenchPoints, TheGateHasTwelve) {
  const auto points = points_of({"--preset", "gate"});
  EXPECT_EQ(points.size(), 12u);
  EXPECT_THROW(points_of({"--preset", "gates"}), UsageError);
}

TEST(BenchPoints, EveryPresetNamesEachRowOnce) {
  for (const std::string preset : {"smoke", "gate", "report", "full"}) {
    std::set<std::string> names;
    for (const Point& point : points_of({"--preset", preset})) {
      for (const Implementation* impl : point.impls) {
        EXPECT_TRUE(names.insert(row_name(point, *impl)).second) << row_name(point, *impl);
      }
    }
    EXPECT_FALSE(names.empty());
  }
}

TEST(BenchPoints, NoSweepOfAPresetHidesAnother) {
  for (const std::string preset : {"report", "full"}) {
    std::map<std::string, std::set<const Implementation*>> impls;
    for (const Point& point : points_of({"--preset", preset})) {
      impls[point.shape.set].insert(point.impls.begin(), point.impls.end());
    }
    EXPECT_EQ(impls["fusion"], (std::set<const Implementation*>{&kNative, &kUnfused}));
    EXPECT_EQ(impls["ffn2"].count(&kFfn2), 1u);
    EXPECT_EQ(impls["peers"].count(&kUnfused), 1u);
    EXPECT_EQ(impls["main"].count(&kUnfused), 0u) << "every point of a sweep has the same implementations";
    for (const char* set : {"align", "pow2", "models", "hot"}) EXPECT_EQ(impls.count(set), 1u) << set;
  }
}

TEST(BenchPoints, PowersOfTwoHaveTheirNeighbours) {
  std::set<std::size_t> widths;
  for (const Point& point : points_of({"--preset", "report"})) {
    if (point.shape.set == "pow2") widths.insert(point.shape.h);
  }
  EXPECT_EQ(widths, (std::set<std::size_t>{4080, 4096, 4112, 8176, 8192, 8208}));
}

TEST(BenchPoints, FilterTakesRowsNotPoints) {
  const auto points =
      points_of({"--d-model", "256", "--tokens", "1,16", "--impl", "native,unfused", "--filter", "T:16/.*unfused"});
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].T, 16u);
  EXPECT_EQ(points[0].impls, (std::vector<const Implementation*>{&kUnfused}));
}

TEST(BenchPoints, WhatTheMachineLacksIsAnError) {
  EXPECT_THROW(points_of({"--isa", resolve_isa() == Isa::neon ? "avx2" : "neon"}), UsageError);
  EXPECT_THROW(points_of({"--models", "Llama-9"}), UsageError);
  for (const Implementation* impl : implementations()) {
    if (impl->missing().empty()) continue;
    EXPECT_THROW(points_of({"--impl", impl->name}), UsageError) << impl->name;
  }
}

TEST(BenchPoints, OwnIsaIsARivalOnlyOnIt) {
  MachineLimits machine = limits();
  machine.own_isa = Isa::automatic;  // capped to something else
  for (const Point& point : build_points(parse_options({"swiglu-bench", "paired", "--d-model", "256"}), machine)) {
    EXPECT_EQ(point.impls, (std::vector<const Implementation*>{&kNative}));
  }
}

TEST(BenchPoints, BatchLinesAdd) {
  Options options;
  options.batch.resize(2);
  options.batch[0].d_model = {256};
  options.batch[0].tokens = {1};
  options.batch[1].d_model = {256, 512};
  options.batch[1].tokens = {1};
  EXPECT_EQ(build_points(options, limits()).size(), 2u) << "a point that both name is measured once";
}

}  // namespace
}  // namespace swiglu::bench
