// Idle workers sleep: CPU time of the process in the second after the last call.

#include <chrono>
#include <thread>

#include "own_threads.hpp"
#include "targets/turns.hpp"

namespace swiglu::bench {

void measure_idle(TargetRun& run) {
  Session& session = run.session();
  const std::size_t threads = run.most_threads();
  Point point{fixed_shape(576, 1536, "", "targets"), 16, threads, run.isa(), Cache::none, {&kNative}};
  if (run.has_rival()) point.impls.push_back(&kOnednnWide);
  Workbench bench(session, point, point.impls);
  const Turn turn = make_turn(bench, point);
  const CallBuffers buffers = bench.buffers(point.T);
  const auto idle_ms = [&](Arm& arm) {
    run.let_workers_sleep(threads);
    for (int call = 0; call < 100; ++call) arm.forward(buffers, point.T);
    const double before = process_cpu_seconds();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    return (process_cpu_seconds() - before) * 1e3;
  };
  std::string detail;
  const double ours = idle_ms(*turn.comparison.arms[0]);
  if (run.has_rival()) detail = formatted("oneDNN's threads %.1f ms", idle_ms(*turn.comparison.arms[1]));
  run.at_most("idle: CPU time in the second after the last call" + run.suffix(threads), ours, "ms", 50, detail);
}

}  // namespace swiglu::bench
