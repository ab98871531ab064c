// The harness is broken on purpose; each fault must be noticed by the very check that guards real runs.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "arena.hpp"
#include "arm.hpp"
#include "clock.hpp"
#include "commands.hpp"
#include "comparison.hpp"
#include "formatted.hpp"
#include "json.hpp"
#include "results_file.hpp"
#include "rows.hpp"
#include "session.hpp"
#include "source_weights.hpp"
#include "stats.hpp"
#include "verify.hpp"

namespace swiglu::bench {
namespace {

constexpr std::size_t kRows = 21;

struct SelfCheck {
  std::size_t failures = 0;

  void expect(bool ok, const std::string& what) {
    std::printf("%-4s %s\n", ok ? "ok" : "FAIL", what.c_str());
    if (!ok) ++failures;
  }

  template <class Error>
  void expect_caught(const std::string& what, const std::function<void()>& fault) {
    try {
      fault();
    } catch (const Error&) {
      expect(true, what);
      return;
    }
    expect(false, what);
  }
};

/// A right implementation whose result `damage` spoils.
using Damage = std::function<void(std::vector<float>& y)>;

void check_verification(SelfCheck& check) {
  const Shape shape = fixed_shape(96, 176, "", "");
  const SourceWeights source(shape.d, shape.h, 1);
  const Truth truth(shape, source.view(), 1);
  const auto x = random_rows(kRows, shape.d, 1);
  Arm arm(kNative, resolve_isa(), 1, shape, source.view(), 1);
  arm.reserve(kRows);
  const auto run = [&](const Damage& damage) {
    truth.check(
        [&](const float* in, float* out) {
          arm.forward_on(0, in, out, kRows);
          std::vector<float> y(out, out + kRows * shape.d);
          damage(y);
          std::copy(y.begin(), y.end(), out);
        },
        x.data(), kRows);
  };
  const auto at = [&](std::size_t row, std::size_t column) { return row * shape.d + column; };
  bool accepted = true;
  try {
    run([](std::vector<float>&) {});
  } catch (const WrongResult&) {
    accepted = false;
  }
  check.expect(accepted, "a right result passes");
  check.expect_caught<WrongResult>("zeros instead of a result",
                                   [&] { run([](auto& y) { y.assign(y.size(), 0.0f); }); });
  check.expect_caught<WrongResult>("one NaN in one row", [&] { run([&](auto& y) { y[at(13, 5)] = NAN; }); });
  check.expect_caught<WrongResult>("one column off by 1 %", [&] { run([&](auto& y) { y[at(7, 95)] *= 1.01f; }); });
  check.expect_caught<WrongResult>("two neighbouring rows exchanged", [&] {
    run([&](auto& y) { std::swap_ranges(y.begin() + at(3, 0), y.begin() + at(4, 0), y.begin() + at(4, 0)); });
  });
  check.expect_caught<WrongResult>("rows of two tiles exchanged (14 apart)", [&] {
    run([&](auto& y) { std::swap_ranges(y.begin() + at(2, 0), y.begin() + at(3, 0), y.begin() + at(16, 0)); });
  });
  check.expect_caught<WrongResult>("a last row that is never written", [&] {
    truth.check([&](const float* in, float* out) { arm.forward_on(0, in, out, kRows - 1); }, x.data(), kRows);
  });
  check.expect_caught<WrongResult>("gate and up exchanged", [&] {
    Weights swapped = source.view();
    std::swap(swapped.gate, swapped.up);
    Arm wrong(kNative, resolve_isa(), 1, shape, swapped, 1);
    wrong.reserve(kRows);
    truth.check([&](const float* in, float* out) { wrong.forward_on(0, in, out, kRows); }, x.data(), kRows);
  });
}

void check_statistics(SelfCheck& check) {
  check.expect(std::fabs(student_t_quantile(0.995, 6) - 3.707) < 1e-3, "Student t quantile (0.995, 6 d.f.)");
  check.expect(std::fabs(student_t_quantile(0.99, 9) - 2.821) < 1e-3, "Student t quantile (0.99, 9 d.f.)");
  PointResult result;
  result.arms = {&kNative, &kUnfused};
  Attempt attempt;
  for (int i = 0; i < 9; ++i) {
    Round round;
    Sample ours, theirs;
    ours.t_min = ours.t_median = 1 + 0.001 * (i % 3);
    theirs.t_min = theirs.t_median = 1.25;
    round.samples = {ours, theirs};
    attempt.rounds.push_back(round);
  }
  result.launches.emplace_back().attempts.push_back(attempt);
  const Ratio ratio = paired_ratio(result, 0, 1, 0.99);
  check.expect(ratio.lower > 1.24 && ratio.upper < 1.26 && std::string(ratio.verdict()) == "win",
               "a rival that is 25 % slower is a win of 1.25x");
  const Ratio mirrored = paired_ratio(result, 1, 0, 0.99);
  check.expect(std::string(mirrored.verdict()) == "loss", "exchanged arms turn it into a loss");
}

/// Two points of two implementations, as a run would have left them.
std::vector<PointResult> made_up_results() {
  std::vector<PointResult> results(2);
  for (std::size_t i = 0; i < results.size(); ++i) {
    PointResult& result = results[i];
    result.point = {fixed_shape(64, 64 * (i + 1), "", "main"), 1, 1, resolve_isa(), Cache::wei, {&kNative, &kUnfused}};
    result.arms = result.point.impls;
    result.facts.resize(2);
    Attempt& attempt = result.launches.emplace_back().attempts.emplace_back();
    attempt.before = attempt.after = {100, 10, 0};
    for (std::size_t r = 0; r < 5; ++r) {
      Round round;
      round.roof = {100, 10, 0};
      round.order = {0, 1};
      round.samples.resize(2);
      for (std::size_t arm = 0; arm < 2; ++arm) {
        round.samples[arm].t_min = round.samples[arm].t_median = 1e-6 * static_cast<double>(10 + 3 * arm + r % 2);
        round.samples[arm].t_p90 = 20e-6;
        round.samples[arm].calls = 100;
      }
      attempt.rounds.push_back(round);
    }
  }
  return results;
}

Json document_of(const std::vector<PointResult>& results) {
  Json rows = Json::array(), samples = Json::array();
  for (const PointResult& result : results) {
    for (Json& row : point_rows(result, {})) rows.push(std::move(row));
    for (Json& row : point_samples(result)) samples.push(std::move(row));
  }
  return Json::parse(Json().set("benchmarks", rows).set("samples", samples).dump());
}

void check_results(SelfCheck& check) {
  Json row;
  row.set("gflops", NAN);
  check.expect(row.first_non_finite() == "gflops", "NaN in a row is noticed by name");
  check.expect(row.dump().find("nan") == std::string::npos, "NaN is never written");

  const auto results = made_up_results();
  std::vector<Point> points;
  for (const PointResult& result : results) points.push_back(result.point);
  const Json document = document_of(results);
  check.expect(document_of(read_results(document, points)).dump() == document.dump(),
               "results read back give the same rows and samples");

  std::vector<PointResult> hole = results;
  hole.pop_back();
  hole = read_results(document_of(hole), points);
  check.expect(hole[0].holes().empty() && hole[1].holes().size() == 2, "a missing point is named");

  Json swapped = Json::array();
  for (Json sample : document.at("samples").elements()) {
    const std::size_t arm = sample.text("name") == row_name(points[0], kNative) ? 0 : 1;
    if (sample.text("name") == row_name(points[0], kNative) || sample.text("name") == row_name(points[0], kUnfused)) {
      sample.set("name", row_name(points[0], arm == 0 ? kUnfused : kNative));
    }
    swapped.push(std::move(sample));
  }
  check.expect_caught<std::runtime_error>("swapped arms: samples under the other one's name", [&] {
    Json damaged = document;
    read_results(damaged.set("samples", swapped), points);
  });
}

/// Native, until it has been called `calls` times; then it does nothing.
class TiringObject final : public BlockObject {
 public:
  TiringObject(const ObjectRequest& request, std::size_t calls) : object_(kNative.create(request)), left_(calls) {}
  std::size_t workspace_bytes(std::size_t T) const override { return object_->workspace_bytes(T); }
  std::size_t packed_bytes() const override { return object_->packed_bytes(); }
  void forward(const float* x, float* y, std::size_t T, const Workspace& workspace) override {
    if (left_ == 0) return;
    --left_;
    object_->forward(x, y, T, workspace);
  }
  std::string detail(std::size_t) const override { return "planted"; }

 private:
  std::unique_ptr<BlockObject> object_;
  std::size_t left_;
};

template <std::size_t CALLS>
std::unique_ptr<BlockObject> tiring(const ObjectRequest& request) {
  return std::make_unique<TiringObject>(request, CALLS);
}
const Implementation kDead = {"dead",          nullptr,  "planted: computes nothing", Family::ffn, Role::rival, false,
                              nothing_missing, tiring<0>};
const Implementation kStale = {"stale",         nullptr,     "planted: stops computing after verification",
                               Family::ffn,     Role::rival, false,
                               nothing_missing, tiring<3>};

/// The measuring itself, with faults in what is measured.
void check_measuring(SelfCheck& check, Session& session) {
  Point point{fixed_shape(64, 64, "", "main"), 1, 1, resolve_isa(), Cache::none, {&kNative, &kDead, &kStale}};
  Workbench bench(session, point, point.impls);
  bench.verify(*bench.find(kNative), point.T);
  check.expect_caught<WrongResult>("a kernel that computes nothing",
                                   [&] { bench.verify(*bench.find(kDead), point.T); });
  std::vector<std::string> wrong;
  std::mt19937_64 random(1);
  bench.verify(*bench.find(kStale), point.T);
  measure(session, bench, point, {bench.find(kNative), bench.find(kStale)}, 5, random, wrong);
  check.expect(wrong[0].empty() && !wrong[1].empty(), "a kernel that stops computing once it has been verified");

  std::atomic<bool> end{false};
  std::thread spinning([&] {
    while (!end) {
    }
  });
  const Attempt beside = measure(session, bench, point, {bench.find(kNative)}, 1, random, wrong);
  end = true;
  spinning.join();
  check.expect(beside.spinning_threads, "a thread of this process that spins beside the samples");

  if (session.options().quick) return;
  // One window of 48 KiB is never out of cache.
  point.impls = {&kNative};
  Workbench warm(session, point, point.impls);
  PointResult result;
  result.point = point;
  result.point.cache = Cache::wei;
  Arm& arm = *warm.find(kNative);
  result.arms = {&kNative};
  result.facts = {warm.facts(arm, point.T, warm.verify(arm, point.T))};
  result.launches.emplace_back().attempts.push_back(measure(session, warm, point, {&arm}, 5, random, wrong));
  const Json row = point_rows(result, {}).front();
  check.expect(row.number("cold_ok") == 0 && row.at("flags").dump().find("not_cold") != std::string::npos,
               "weights that never left the cache are not certified cold");
}

/// What the harness adds to a call of 64 × 64 weights and one row: the median over turns of the sampler's time over a
/// bare loop's.
void check_overhead(SelfCheck& check, Session& session) {
  constexpr std::size_t kCalls = 2000;
  constexpr double kLimit = 0.05;
  const Point point{fixed_shape(64, 64, "", "main"), 1, 1, resolve_isa(), Cache::none, {&kNative}};
  Workbench bench(session, point, point.impls);
  Arm& arm = *bench.find(kNative);
  bench.verify(arm, point.T);
  const CallBuffers buffers = bench.buffers(point.T);
  const SourceWeights source(point.shape.d, point.shape.h, 1);
  const FeedForward block(point.shape.d, point.shape.h, source.view());
  const Workspace workspace = block.make_workspace(point.T);
  std::vector<double> excess, bare_times;
  for (int turn = 0; turn < 15; ++turn) {
    const double sampled = take_sample([&] { arm.forward(buffers, point.T); }, buffers, 1e-3, 2e-3).t_median;
    std::vector<double> bare;
    for (int i = 0; i < 5; ++i) {
      const double begin = now();
      for (std::size_t call = 0; call < kCalls; ++call) block.forward({buffers.x}, {buffers.y}, point.T, workspace);
      bare.push_back((now() - begin) / kCalls);
    }
    bare_times.push_back(median(bare));
    excess.push_back(sampled / median(bare) - 1);
  }
  char text[160];
  std::snprintf(text, sizeof text, "harness overhead at 64/64, T = 1: %.1f %% of %.0f ns (at most %.0f %%)",
                100 * median(excess), median(bare_times) * 1e9, 100 * kLimit);
  check.expect(median(excess) <= kLimit, text);
}

void check_roofs(SelfCheck& check) {
  check.expect(Arena(8 << 20).is_written(), "a filled arena counts as written");
  check.expect(!Arena(8 << 20, Arena::Fill::untouched).is_written(), "an arena that was never filled is noticed");
  check.expect(is_cold(42, {270, 40, 0}) && !is_cold(60, {270, 40, 0}), "warm weights are not called cold");
  check.expect_caught<std::runtime_error>("another ISA than asked for", [] { require_isa(Isa::avx2, Isa::avx512); });
}

}  // namespace

int command_selfcheck(const Options& options) {
  limit_onednn(options);
  SelfCheck check;
  check_verification(check);
  check_statistics(check);
  check_results(check);
  check_roofs(check);
  Options small = options;
  small.arena_bytes = std::size_t{64} << 20;
  Session session(small);
  check_measuring(check, session);
  if (!options.quick) check_overhead(check, session);
  if (check.failures > 0) std::printf("%s failed\n", counted(check.failures, "check").c_str());
  return check.failures == 0 ? kOk : kWrong;
}

}  // namespace swiglu::bench
