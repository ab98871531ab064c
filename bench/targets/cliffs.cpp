// No cliff: one more row may cost what the roofline says, and 15 % more.

#include <algorithm>

#include "targets/turns.hpp"

namespace swiglu::bench {
namespace {

void measure_shape(TargetRun& run, const Shape& shape, std::size_t threads) {
  const std::size_t last = run.quick() ? 16 : 40;
  Point point{shape, 1, threads, run.isa(), Cache::wei, {&kNative}};
  Workbench bench(run.session(), point, point.impls);
  std::vector<Turn> turns;
  for (point.T = 1; point.T <= last + 1; ++point.T) turns.push_back(make_turn(bench, point));
  measure_in_turns(run, turns, run.quick() ? 3 : 7);
  // time(T+1)/time(T) over roof(T+1)/roof(T) is the ratio of the shares of the roofline.
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i + 1 < turns.size(); ++i) {
    const double step = pct_roof(turns[i]) / pct_roof(turns[i + 1]);
    if (step > worst) {
      worst = step;
      at = turns[i].point.T;
    }
  }
  run.at_most(formatted("no cliff: worst step, %zu/%zu, T = 1..%zu", shape.d, shape.h, last) + run.suffix(threads),
              worst, "x", 1.15, formatted("from T = %zu to %zu, over the roofline's own step", at, at + 1));
}

}  // namespace

void measure_cliffs(TargetRun& run) {
  for (const std::size_t threads : run.threads()) {
    measure_shape(run, fixed_shape(576, 1536, "", "targets"), threads);
    if (!run.quick()) measure_shape(run, fixed_shape(2048, 5632, "", "targets"), threads);
  }
}

}  // namespace swiglu::bench
