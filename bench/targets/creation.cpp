// Creating an object: packing against oneDNN's create + reorder, and against a plain copy of the weights. All write to
// fresh pages, so page faults count for all alike.

#include <algorithm>
#include <cstring>
#include <optional>

#include "arm.hpp"
#include "clock.hpp"
#include "formulas.hpp"
#include "machine_facts.hpp"
#include "memory/page_buffer.hpp"
#include "progress.hpp"
#include "source_weights.hpp"
#include "stats.hpp"
#include "targets/targets.hpp"
#include "team.hpp"

namespace swiglu::bench {
namespace {

double seconds_of_copy(Team& team, std::size_t threads, const Weights& weights, std::size_t floats) {
  const double begin = now();
  PageBuffer copy(3 * floats * sizeof(float));
  auto* to = static_cast<float*>(copy.data());
  team.run(threads, [&](std::size_t member) {
    const std::size_t first = floats * member / threads, last = floats * (member + 1) / threads;
    const float* sources[] = {weights.gate.data, weights.up.data, weights.down.data};
    for (std::size_t i = 0; i < 3; ++i) {
      std::memcpy(to + i * floats + first, sources[i] + first, (last - first) * sizeof(float));
    }
  });
  const double seconds = now() - begin;
  asm volatile("" : : "r"(to) : "memory");  // the copy is read by nobody
  return seconds;
}

}  // namespace

void measure_creation(TargetRun& run) {
  Session& session = run.session();
  const Shape shape = run.quick() ? fixed_shape(2048, 5632, "", "targets") : fixed_shape(4096, 11008, "", "targets");
  const auto bytes = static_cast<std::size_t>(weight_bytes(shape.d, shape.h));
  if (const std::size_t free = available_memory(); free < 3 * bytes) {
    return run.not_measured("creation", formatted("needs %zu bytes of memory, %zu are free", 3 * bytes, free));
  }
  const SourceWeights source(shape.d, shape.h, session.options().seed);
  for (const std::size_t threads : run.threads()) {
    session.pin(threads);
    Team team(session.cpus_for(threads));
    std::vector<double> ours, copy, wide, post_ops;
    const auto create = [&](const Implementation* impl) {
      return Arm(*impl, run.isa(), threads, shape, source.view(), 1).create_seconds();
    };
    for (int round = 0; round < (run.quick() ? 3 : 5); ++round) {
      ours.push_back(create(&kNative));
      copy.push_back(seconds_of_copy(team, threads, source.view(), shape.d * shape.h));
      if (run.has_rival()) {
        wide.push_back(create(&kOnednnWide));
        post_ops.push_back(create(&kOnednnPostOps));
        run.let_workers_sleep(threads);
      }
      if (interrupted()) throw std::runtime_error("interrupted");
    }
    const std::string suffix = run.suffix(threads);
    const std::string ours_text = formatted("%zu/%zu: %.0f ms", shape.d, shape.h, median(ours) * 1e3);
    if (run.has_rival()) {
      const double rival = std::min(median(wide), median(post_ops));
      run.at_most(
          "creation: packing over oneDNN's create + reorder" + suffix, median(ours) / rival, "x", 0.25,
          ours_text + formatted(", oneDNN %.0f ms; a memcpy would be %.2f×", rival * 1e3, median(copy) / rival));
    } else {
      run.not_measured("creation: packing over oneDNN's" + suffix, "this build has no oneDNN backend");
    }
    run.at_most("creation: packing over a memcpy of the weights" + suffix, median(ours) / median(copy), "x", 2,
                ours_text + formatted(", memcpy %.0f ms, to fresh pages as well", median(copy) * 1e3));
  }
}

}  // namespace swiglu::bench
