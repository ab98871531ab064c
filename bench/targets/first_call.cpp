// The first call of an object against its later ones, both with cold weights: nothing may be left for it to do.

#include <cstring>

#include "clock.hpp"
#include "progress.hpp"
#include "source_weights.hpp"
#include "stats.hpp"
#include "targets/turns.hpp"

namespace swiglu::bench {
namespace {

constexpr double kEvictSeconds = 30e-3;  // reads more than a gigabyte
constexpr int kLaterCalls = 5;

}  // namespace

void measure_first_call(TargetRun& run) {
  Session& session = run.session();
  const Shape shape = fixed_shape(2048, 5632, "", "targets");
  const SourceWeights source(shape.d, shape.h, session.options().seed);
  const Truth truth(shape, source.view(), session.options().seed);
  for (const std::size_t threads : run.threads()) {
    session.pin(threads);
    double worst = 0;
    std::string where;
    for (const std::size_t T : {1, 16, 128}) {
      if (run.quick() && T > 16) continue;
      const std::vector<float> x = random_rows(T, shape.d, session.options().seed);
      std::vector<float> y(x.size());
      const CallBuffers buffers{x.data(), y.data(), x.size(), 0};
      Workspace workspace;
      std::vector<double> ratios, firsts;
      for (int object = 0; object < (run.quick() ? 3 : 9); ++object) {
        const FeedForward block = native_block(run, shape, threads, source.view());
        if (object == 0) {
          workspace = block.make_workspace(T);
          std::memset(workspace.data(), 0, workspace.size());  // its pages are not the object's
        }
        const auto cold_call = [&] {
          static_cast<void>(session.roofs().read_gbps(threads, kEvictSeconds));
          run.let_workers_sleep(threads);
          touch(buffers);
          const double begin = now();
          block.forward({buffers.x}, {buffers.y}, T, workspace);
          return now() - begin;
        };
        const double first = cold_call();
        std::vector<double> later;
        for (int call = 0; call < kLaterCalls; ++call) later.push_back(cold_call());
        ratios.push_back(first / median(later));
        firsts.push_back(first);
        const auto forward = [&](const float* in, float* out) { block.forward({in}, {out}, T, workspace); };
        if (object == 0) static_cast<void>(truth.check(forward, x.data(), T));
        if (interrupted()) throw std::runtime_error("interrupted");
      }
      if (median(ratios) > worst) {
        worst = median(ratios);
        where = formatted("%zu/%zu, T = %zu: first %.0f us; median of %zu objects", shape.d, shape.h, T,
                          median(firsts) * 1e6, ratios.size());
      }
    }
    run.at_most("first call over later ones" + run.suffix(threads), worst, "x", 1.05, where);
  }
}

}  // namespace swiglu::bench
