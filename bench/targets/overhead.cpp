// The cost of a call itself: a block with next to no work, and handing two empty tasks to the pool.

#include <algorithm>

#include "progress.hpp"
#include "stats.hpp"
#include "targets/turns.hpp"

namespace swiglu::bench {
namespace {

constexpr double kSettleSeconds = 2e-3, kSampleSeconds = 10e-3;

}  // namespace

void measure_overhead(TargetRun& run) {
  Session& session = run.session();
  const std::size_t rounds = run.quick() ? 5 : 15;
  for (const std::size_t threads : run.threads()) {
    Point point{fixed_shape(16, 16, "", "targets"), 1, threads, run.isa(), Cache::none, {&kNative}};
    if (run.has_rival()) point.impls.insert(point.impls.end(), {&kOnednnWide, &kOnednnPostOps});
    Workbench bench(session, point, point.impls);
    const Turn turn = make_turn(bench, point);
    const CallBuffers buffers = bench.buffers(1);
    const auto pool = make_thread_pool(threads);
    std::vector<std::vector<double>> times(point.impls.size());
    std::vector<double> pool_times;
    for (std::size_t r = 0; r < rounds && !interrupted(); ++r) {
      for (std::size_t arm = 0; arm < times.size(); ++arm) {
        const auto call = [&] { turn.comparison.arms[arm]->forward(buffers, 1); };
        times[arm].push_back(take_sample(call, {}, kSettleSeconds, kSampleSeconds).t_median);
        run.let_workers_sleep(threads);
      }
      const auto empty = [&] { pool->parallel_for(threads, [](void*, std::size_t) {}, nullptr); };
      pool_times.push_back(take_sample(empty, {}, kSettleSeconds, kSampleSeconds).t_median);
      run.let_workers_sleep(threads);
    }
    std::string detail = "16/16, T = 1";
    if (times.size() > 1) {
      detail += formatted("; oneDNN %.2f us", std::min(median(times[1]), median(times[2])) * 1e6);
    }
    const double limit = threads == 1 ? 0.3 : 3;
    const std::string suffix = run.suffix(threads);
    run.at_most("overhead: a call with next to no work" + suffix, median(times[0]) * 1e6, "us", limit, detail);
    if (threads > 1) {
      // Blocks with so little work stay in the calling thread; this is what one of the two phases of a larger one pays.
      run.at_most("overhead: empty tasks on the pool" + suffix, median(pool_times) * 1e6, "us", limit,
                  "one task per thread, workers still awake");
    }
  }
}

}  // namespace swiglu::bench
