// Alignment: what a hidden unit costs at any d_ff, against the nearest multiple of 256.

#include <algorithm>
#include <list>

#include "targets/turns.hpp"

namespace swiglu::bench {
namespace {

/// The first width is the multiple of 256.
struct WidthFamily {
  std::size_t d;
  std::vector<std::size_t> widths;
};

std::vector<WidthFamily> families(bool quick) {
  // 576: one more than the multiple, one less, a half vector, a whole one. 2048: the largest power of two that divides
  // d_ff is 1, 2, … 128; and one more than the multiple.
  std::vector<WidthFamily> all = {{576, {1536, 1537, 1535, 1544, 1552}}};
  if (quick) return all;
  all.push_back({2048, {5376, 5377}});
  for (std::size_t m = 1; m < 256; m *= 2) {
    all.back().widths.push_back(swept_hidden(HiddenChoice::exact, all.back().d, m));
  }
  return all;
}

}  // namespace

void measure_alignment(TargetRun& run) {
  for (const std::size_t threads : run.threads()) {
    for (const std::size_t T : {1, 16, 256}) {
      if (run.quick() && T > 16) continue;
      double worst = -1;
      std::string where;
      for (const WidthFamily& family : families(run.quick())) {
        std::list<Workbench> benches;
        std::vector<Turn> turns;
        for (const std::size_t width : family.widths) {
          const Shape shape = fixed_shape(family.d, width, "", "targets");
          const Point point{shape, T, threads, run.isa(), Cache::wei, {&kNative}};
          benches.emplace_back(run.session(), point, point.impls);
          turns.push_back(make_turn(benches.back(), point));
        }
        measure_in_turns(run, turns, run.quick() ? 5 : 7);
        // The roofline's time per hidden unit is the same for all, so shares of it compare the time per hidden unit.
        for (std::size_t i = 1; i < turns.size(); ++i) {
          const double penalty = 100 * (pct_roof(turns[0]) / pct_roof(turns[i]) - 1);
          if (penalty > worst) {
            worst = penalty;
            where = formatted("%zu/%zu against %zu", family.d, family.widths[i], family.widths[0]);
          }
        }
      }
      run.at_most(formatted("alignment: worst d_ff, T = %zu", T) + run.suffix(threads), worst, "%", 5, where);
    }
  }
}

}  // namespace swiglu::bench
