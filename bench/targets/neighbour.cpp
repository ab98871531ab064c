// A busy neighbour: another process that spins on one of the cores.

#include <algorithm>
#include <list>
#include <stdexcept>

#include "clock.hpp"
#include "progress.hpp"
#include "stats.hpp"
#include "support/busy_machine.hpp"
#include "targets/turns.hpp"

namespace swiglu::bench {
namespace {

// The scheduler's slices are some milliseconds: samples and settling are long enough for many.
constexpr double kSettleSeconds = 150e-3, kSampleSeconds = 100e-3;

struct Case {
  Shape shape;
  std::size_t T;
};

/// The faster form, seconds.
double fastest(const std::vector<std::vector<double>>& forms) {
  double best = median(forms.front());
  for (const auto& form : forms) best = std::min(best, median(form));
  return best;
}

}  // namespace

void measure_neighbour(TargetRun& run) {
  Session& session = run.session();
  const std::size_t n = run.most_threads();
  if (n == 1) return run.not_measured("busy neighbour", "only one CPU, or --threads 1");
  const int neighbours_cpu = session.cpus_for(n).back();
  const Shape small = fixed_shape(576, 1536, "", "targets"), large = fixed_shape(2048, 5632, "", "targets");
  std::vector<Case> cases = {{small, 16}, {large, 1}, {large, 16}};
  if (!run.quick()) cases.insert(cases.end(), {{small, 1}, {small, 128}, {small, 512}, {large, 128}});

  std::vector<const Implementation*> impls = {&kNative};
  if (run.has_rival()) impls.insert(impls.end(), {&kOnednnWide, &kOnednnPostOps});
  double worst_slow_down = 0, worst_share = 0;
  std::string slow_down_detail, share_detail;
  for (const Case& entry : cases) {
    Point point{entry.shape, entry.T, 1, run.isa(), Cache::wei, {&kNative}};
    Workbench one(session, point, point.impls);
    const Turn quiet_turn = make_turn(one, point);
    point.threads = n;
    point.impls = impls;
    Workbench many(session, point, point.impls);
    const Turn busy_turn = make_turn(many, point);

    // The mean of all calls: a call that meets no time slice of the neighbour says nothing.
    const auto mean_seconds = [&](Workbench& bench, Arm& arm, std::size_t threads) {
      session.pin(threads);
      double spent = 0;
      std::size_t calls = 0;
      const CallBuffers buffers = bench.buffers(entry.T);
      const auto timed_call = [&] {
        const double begin = now();
        arm.forward(buffers, entry.T);
        spent += now() - begin;
        ++calls;
      };
      static_cast<void>(take_sample(timed_call, buffers, 0, kSettleSeconds));
      spent = 0;
      calls = 0;
      static_cast<void>(take_sample(timed_call, buffers, 0, kSampleSeconds));
      session.pin(n);
      run.let_workers_sleep(threads);
      return spent / static_cast<double>(calls);
    };
    std::vector<double> quiet, busy;
    std::vector<std::vector<double>> rivals(impls.size() - 1);
    for (std::size_t r = 0; r < (run.quick() ? 3u : 7u); ++r) {
      quiet.push_back(mean_seconds(one, *quiet_turn.comparison.arms[0], 1));
      const testing::BusyMachine neighbour(1, neighbours_cpu);
      if (neighbour.size() != 1) throw std::runtime_error("cannot start the neighbour");
      for (std::size_t arm = 0; arm < impls.size(); ++arm) {
        const double seconds = mean_seconds(many, *busy_turn.comparison.arms[arm], n);
        (arm == 0 ? busy : rivals[arm - 1]).push_back(seconds);
      }
      if (interrupted()) throw std::runtime_error("interrupted");
    }
    const double slow_down = median(busy) / median(quiet);
    if (slow_down > worst_slow_down) {
      worst_slow_down = slow_down;
      slow_down_detail = name_of(point) + formatted(": %.0f us alone, %.0f beside the neighbour", median(quiet) * 1e6,
                                                    median(busy) * 1e6);
    }
    if (rivals.empty()) continue;
    const double share = median(busy) / fastest(rivals);
    if (share > worst_share) {
      worst_share = share;
      share_detail =
          name_of(point) + formatted(": oneDNN %.0f us, ours %.0f", fastest(rivals) * 1e6, median(busy) * 1e6);
    }
  }
  const std::string suffix = run.suffix(n);
  run.at_most("busy neighbour: worst time over one thread's without it" + suffix, worst_slow_down, "x", 1.1,
              slow_down_detail);
  if (run.has_rival()) {
    run.at_most("busy neighbour: worst time over oneDNN's there" + suffix, worst_share, "x", 0.5, share_detail);
  } else {
    run.not_measured("busy neighbour: time over oneDNN's" + suffix, "this build has no oneDNN backend");
  }
}

}  // namespace swiglu::bench
