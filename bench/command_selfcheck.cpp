// The harness is broken on purpose; each fault must be noticed by the very check that guards real runs.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "arena.hpp"
#include "arm.hpp"
#include "commands.hpp"
#include "comparison.hpp"
#include "json.hpp"
#include "rows.hpp"
#include "session.hpp"
#include "source_weights.hpp"
#include "stats.hpp"
#include "verify.hpp"

namespace swiglu::bench {
namespace {

constexpr std::size_t kRows = 21;

struct SelfCheck {
  int failures = 0;

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

void check_results(SelfCheck& check) {
  Json row;
  row.set("gflops", NAN);
  check.expect(row.first_non_finite() == "gflops", "NaN in a row is noticed by name");
  check.expect(row.dump().find("nan") == std::string::npos, "NaN is never written");
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
  if (check.failures > 0) std::printf("%d checks failed\n", check.failures);
  return check.failures == 0 ? kOk : kWrong;
}

}  // namespace swiglu::bench
