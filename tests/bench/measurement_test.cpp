// Raw measurements: statistics, launches that are merged, arms that are left out, files that are read back.

#include "measurement.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>

#include "comparison.hpp"
#include "results_file.hpp"
#include "rows.hpp"
#include "stats.hpp"

namespace swiglu::bench {
namespace {

constexpr std::size_t kRounds = 9;

/// One launch in which arm a takes (a + 1) · `scale` µs, with a little noise that arms share.
PointResult launch(std::size_t index, const std::vector<const Implementation*>& arms, double scale = 1) {
  PointResult result;
  result.point = {fixed_shape(64, 128, "", "main"), 4, 1, Isa::avx2, Cache::wei, arms};
  result.arms = arms;
  result.facts.resize(arms.size());
  Launch& only = result.launches.emplace_back();
  only.index = index;
  Attempt& attempt = only.attempts.emplace_back();
  attempt.before = attempt.after = {100, 10, 0};
  for (std::size_t r = 0; r < kRounds; ++r) {
    Round round;
    round.roof = {100, 10, 0};
    for (std::size_t arm = 0; arm < arms.size(); ++arm) {
      Sample sample;
      sample.t_min = 1e-6 * scale * static_cast<double>(arm + 1) * (1 + 0.01 * static_cast<double>(r % 3));
      sample.t_median = 1.1 * sample.t_min;
      sample.t_p90 = 1.2 * sample.t_min;
      sample.calls = 10;
      sample.health = {0, 0, 0, 0};
      round.samples.push_back(sample);
      round.order.push_back((arm + r) % arms.size());
    }
    attempt.rounds.push_back(round);
  }
  return result;
}

const std::vector<const Implementation*> kThree = {&kNative, &kUnfused, &kReference};

Json document_of(const PointResult& result, const Plan& plan = {}) {
  Json rows = Json::array(), samples = Json::array();
  for (Json& row : point_rows(result, plan)) rows.push(std::move(row));
  for (Json& row : point_samples(result)) samples.push(std::move(row));
  Json context, machine;
  context.set("ffn_schema", "swiglu-bench/1").set("command", "paired");
  machine.set("cpu_model", "made up");
  Json all;
  all.set("context", context).set("machine", machine);
  all.set("benchmarks", rows).set("pairs", Json::array()).set("samples", samples);
  return Json::parse(all.dump());
}

TEST(BenchMeasurement, MergedLaunchesKeepArmsApart) {
  PointResult result;
  result.point = launch(0, kThree).point;
  result.merge(launch(1, kThree));
  PointResult other = launch(0, {&kReference, &kNative, &kUnfused});  // in another order
  for (Round& round : other.launches[0].attempts[0].rounds) {
    const std::vector<Sample> samples = round.samples;
    round.samples = {samples[2], samples[0], samples[1]};
  }
  result.merge(std::move(other));
  ASSERT_EQ(result.launches.size(), 2u);
  EXPECT_EQ(result.launches[0].index, 0u);
  for (std::size_t arm = 0; arm < 3; ++arm) {
    EXPECT_NEAR(typical_seconds(result, arm), 1.1e-6 * 1.01 * static_cast<double>(arm + 1), 1e-12);
  }
  EXPECT_NEAR(paired_ratio(result, 0, 1, 0.99).ratio, 2, 1e-9);
  EXPECT_NEAR(paired_ratio(result, 1, 0, 0.99).ratio, 0.5, 1e-9);
}

TEST(BenchMeasurement, AnArmThatOneLaunchLeftOutIsLeftOut) {
  PointResult result = launch(0, kThree);
  PointResult second = launch(1, kThree);
  second.leave_out(kUnfused, "WRONG", "row 0 is off");
  result.merge(std::move(second));
  EXPECT_EQ(result.arms, (std::vector<const Implementation*>{&kNative, &kReference}));
  for (const Launch& entry : result.launches) {
    for (const Round& round : entry.rounds()) {
      ASSERT_EQ(round.samples.size(), 2u);
      EXPECT_NEAR(round.samples[1].t_min / round.samples[0].t_min, 3, 1e-9);
      EXPECT_EQ(round.order.size(), 2u);
      for (const std::size_t arm : round.order) EXPECT_LT(arm, 2u);
    }
  }
  EXPECT_TRUE(result.holes().empty());
  const auto rows = point_rows(result, {});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].text("status"), "WRONG");
  EXPECT_EQ(rows[1].text("skip_reason"), "row 0 is off");
}

TEST(BenchMeasurement, HolesAreNamed) {
  PointResult result;
  result.point = launch(0, kThree).point;
  EXPECT_EQ(result.holes().size(), 3u);
  result.leave_out(kReference, "SKIPPED", "too long");
  result.merge(launch(0, {&kNative}));
  EXPECT_EQ(result.holes(), std::vector<std::string>{row_name(result.point, kUnfused)});
}

TEST(BenchMeasurement, TheIntervalComesFromTheLaunches) {
  // Launches differ by ±5 %, rounds hardly: one launch alone must not claim to know the ratio.
  PointResult result = launch(0, kThree);
  for (std::size_t i = 1; i < 5; ++i) {
    PointResult next = launch(i, kThree);
    for (Round& round : next.launches[0].attempts[0].rounds) round.samples[1].t_min *= i % 2 == 0 ? 1.05 : 0.95;
    result.merge(std::move(next));
  }
  const Ratio ratio = paired_ratio(result, 0, 1, 0.99);
  EXPECT_STREQ(ratio.estimator, "t-launches");
  // ln: 0, ±ln 1.05, ∓…: by hand, t(0.99, 4) = 3.747
  const std::vector<double> logs = {0, std::log(0.95), std::log(1.05), std::log(0.95), std::log(1.05)};
  double mean = 0, squares = 0;
  for (const double log : logs) mean += log / 5;
  for (const double log : logs) squares += (log - mean) * (log - mean);
  const double half = 3.7469474 * std::sqrt(squares / 4 / 5);
  EXPECT_NEAR(std::log(ratio.ratio / 2), mean, 1e-9);
  EXPECT_NEAR(std::log(ratio.lower / 2), mean - half, 1e-6);
  EXPECT_NEAR(std::log(ratio.upper / 2), mean + half, 1e-6);
}

TEST(BenchMeasurement, RoundTripThroughAFile) {
  PointResult result = launch(0, kThree);
  result.launches[0].attempts.push_back(result.launches[0].attempts[0]);
  result.launches[0].attempts[1].rounds.pop_back();
  result.launches[0].chosen = 1;
  result.launches[0].attempts[1].spinning_threads = true;
  result.merge(launch(3, kThree));
  result.leave_out(kReference, "SKIPPED", "no");
  const Json document = document_of(result);
  const auto back = read_results(document, {result.point});
  ASSERT_EQ(back.size(), 1u);
  EXPECT_TRUE(back[0].has_launch(3));
  EXPECT_EQ(back[0].launches[0].chosen, 1u);
  EXPECT_EQ(document_of(back[0]).dump(), document.dump());
}

TEST(BenchMeasurement, DamagedFilesAreRefused) {
  const PointResult result = launch(0, kThree);
  const Json document = document_of(result);
  const auto damaged = [&](const std::function<void(Json&)>& damage) {
    Json samples = Json::array();
    for (Json sample : document.at("samples").elements()) {
      if (samples.size() == 0) damage(sample);
      samples.push(std::move(sample));
    }
    Json copy = document;
    return copy.set("samples", samples);
  };
  EXPECT_NO_THROW(read_results(damaged([](Json&) {}), {result.point}));
  EXPECT_THROW(read_results(damaged([](Json& s) { s.set("t_min", 0); }), {result.point}), std::runtime_error);
  EXPECT_THROW(read_results(damaged([](Json& s) { s.set("round", 70); }), {result.point}), std::runtime_error);
  EXPECT_THROW(read_results(damaged([](Json& s) { s.set("attempt", 9); }), {result.point}), std::runtime_error);
  EXPECT_THROW(read_results(damaged([](Json& s) { s.set("t_min", "fast"); }), {result.point}), std::runtime_error);
  Json without = document;
  EXPECT_THROW(read_results(without.set("samples", Json::array()), {result.point}), std::runtime_error);
}

TEST(BenchMeasurement, ForeignFilesAreRefusedInOneLine) {
  const std::string path = testing::TempDir() + "bench_document.json";
  const std::string good = document_of(launch(0, kThree)).dump();
  const auto refused = [&](const std::string& text) -> std::string {
    std::ofstream(path) << text;
    try {
      read_document("--resume", path);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused(good), "");
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("[1, 2]"), std::string("null"), std::string("no json"),
        good.substr(0, good.size() / 2), std::string(R"({"context": {"ffn_schema": "other/1"}})")}) {
    const std::string complaint = refused(text);
    EXPECT_EQ(complaint.rfind("--resume: " + path + ": ", 0), 0u) << text << " → " << complaint;
    EXPECT_EQ(complaint.find('\n'), std::string::npos);
  }
}

TEST(BenchMeasurement, AFileIsReplacedWholeOrNotAtAll) {
  const std::string path = testing::TempDir() + "bench_whole.json";
  std::remove(path.c_str());
  write_whole(path, "first");
  write_whole(path, "second");
  std::string text;
  std::getline(std::ifstream(path), text);
  EXPECT_EQ(text, "second");
  EXPECT_THROW(write_whole("/nonexistent/folder/file", "x"), std::runtime_error);
}

TEST(BenchStatistics, StudentT) {
  EXPECT_NEAR(student_t_quantile(0.99, 1), 31.8205160, 1e-5);
  EXPECT_NEAR(student_t_quantile(0.99, 9), 2.8214379, 1e-6);
  EXPECT_NEAR(student_t_quantile(0.975, 1e6), 1.9599664, 1e-5);
  EXPECT_NEAR(student_t_quantile(0.05, 7), -student_t_quantile(0.95, 7), 1e-9);
}

TEST(BenchStatistics, LaunchBoundsMissOnceInAHundred) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal(0.3, 0.02);
  int below = 0, above = 0;
  constexpr int kRuns = 4000;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> values(6);
    for (double& value : values) value = normal(random);
    const LaunchMean mean = launch_mean(values, 0.99);
    below += mean.bounds.hi < 0.3 ? 1 : 0;
    above += mean.bounds.lo > 0.3 ? 1 : 0;
  }
  for (const int misses : {below, above}) {  // binomial(4000, 0.01): 40 ± 4 standard deviations
    EXPECT_GT(misses, 15);
    EXPECT_LT(misses, 65);
  }
}

TEST(BenchRows, ColdIsCertifiedAndHotNeverIs) {
  PointResult result = launch(0, {&kNative});
  const auto flags = [&] { return point_rows(result, {})[0].at("flags").dump(); };
  // 64·128·3 weights and 4 rows: 100 kB in 1.1 µs is 93 GB/s, where memory gives 10.
  EXPECT_EQ(point_rows(result, {})[0].number("cold_ok"), 0);
  EXPECT_NE(flags().find("not_cold"), std::string::npos);
  for (Round& round : result.launches[0].attempts[0].rounds) round.roof.read_gbps = 100;
  EXPECT_EQ(point_rows(result, {})[0].number("cold_ok"), 1);
  EXPECT_EQ(flags().find("not_cold"), std::string::npos);
  result.point.cache = Cache::none;
  EXPECT_EQ(point_rows(result, {})[0].number("cold_ok"), 0);
}

TEST(BenchRows, ArithmeticOfBothFamilies) {
  const PointResult result = launch(0, {&kNative, &kFfn2});
  const auto rows = point_rows(result, {});
  EXPECT_EQ(rows[0].number("flops"), 6.0 * 4 * 64 * 128);
  EXPECT_EQ(rows[0].number("bytes_min"), 12.0 * 64 * 128 + 8 * 4 * 64);
  EXPECT_EQ(rows[1].text("family"), "ffn2");
  EXPECT_EQ(rows[1].number("flops"), 4.0 * 4 * 64 * 256);
  EXPECT_EQ(rows[1].number("bytes_min"), 8.0 * 64 * 256 + 8 * 4 * 64);
}

TEST(BenchRows, FewLaunchesAreFlagged) {
  Plan plan;
  plan.rounds = kRounds;
  plan.launches = 3;
  const auto flags = [&](const PointResult& result) { return point_rows(result, plan)[0].at("flags").dump(); };
  PointResult result = launch(0, {&kNative});
  EXPECT_NE(flags(result).find("few_launches"), std::string::npos);
  result.merge(launch(1, {&kNative}));
  result.merge(launch(2, {&kNative}));
  EXPECT_EQ(flags(result).find("few_launches"), std::string::npos);
  plan.rounds = kRounds + 1;
  EXPECT_NE(flags(result).find("few_rounds"), std::string::npos);
}

TEST(BenchRows, SpinningThreadsOfAnyLaunchAreFlagged) {
  PointResult result = launch(0, kThree);
  result.merge(launch(1, kThree));
  const auto flagged = [&] {
    std::size_t rows = 0;
    for (const Json& row : point_rows(result, {})) {
      rows += row.at("flags").dump().find("spinning_threads") != std::string::npos ? 1 : 0;
    }
    return rows;
  };
  EXPECT_EQ(flagged(), 0u);
  result.launches[1].attempts[0].spinning_threads = true;
  EXPECT_EQ(flagged(), 3u);
  EXPECT_EQ(read_results(document_of(result), {result.point})[0].launches[0].attempts[0].spinning_threads, true);
}

}  // namespace
}  // namespace swiglu::bench
