// silu and silu_mul against copying with the same reads and writes, in the same memory.

#include "elementwise.hpp"

#include <algorithm>
#include <list>
#include <numeric>

#include "arena.hpp"
#include "clock.hpp"
#include "machine_facts.hpp"
#include "probes/probe.hpp"
#include "progress.hpp"
#include "stats.hpp"
#include "swiglu/elementwise.h"
#include "targets/targets.hpp"
#include "team.hpp"
#include "verify.hpp"

namespace swiglu::bench {
namespace {

constexpr double kPassSeconds = 10e-3;
constexpr double kMaxError = 1e-5;

/// Arrays of one thread. Their starts differ modulo 4 KiB: a store then never waits for a load it seems to overlap.
struct Arrays {
  Arrays(bool mul, std::size_t n) : arena((3 * n + 4096) * sizeof(float)) {
    gate = arena.data();
    up = mul ? gate + n + 16 * 21 : nullptr;
    out = arena.data() + 2 * n + 16 * 43;
  }
  Arena arena;
  const float *gate, *up;
  float* out;
};

/// GB/s of all threads together, read and written.
template <class Pass>
double rate(Team& team, std::size_t threads, double bytes_per_pass, const Pass& pass) {
  std::vector<double> rates(threads);
  team.run(threads, [&](std::size_t member) {
    pass(member);
    std::size_t passes = 0;
    const double begin = now();
    double elapsed = 0;
    while (elapsed < kPassSeconds) {
      pass(member);
      ++passes;
      elapsed = now() - begin;
    }
    rates[member] = static_cast<double>(passes) * bytes_per_pass / elapsed * 1e-9;
  });
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

void require_right(bool mul, Isa isa) {
  ElementwiseArrays arrays({mul, 4096, isa, ""});
  arrays.call();
  if (const double error = arrays.error(); !(error <= kMaxError)) {
    throw WrongResult("elementwise: relative error " + std::to_string(error));
  }
}

struct Level {
  const char* name;
  std::size_t bytes;  // of all arrays of one thread
  double target;
};

}  // namespace

void measure_elementwise(TargetRun& run) {
  Session& session = run.session();
  const Probe& probe = *find_probe(run.isa());
  const std::size_t large = std::min(4 * session.llc_bytes(), available_memory() / 4 / run.most_threads());
  const Level levels[] = {{"out of cache", large, 90}, {"in L2", std::size_t{512} << 10, 60}};
  std::vector<std::size_t> counts = {1};
  if (session.limits().max_threads > 1) counts.push_back(session.limits().max_threads);
  for (const bool mul : {false, true}) {
    require_right(mul, run.isa());
    for (const Level& level : levels) {
      for (const std::size_t threads : counts) {
        Team team(session.cpus_for(threads));
        const std::size_t n = level.bytes / (mul ? 12 : 8) / 64 * 64;
        std::list<Arrays> all;
        std::vector<const Arrays*> of_member;
        for (std::size_t i = 0; i < threads; ++i) of_member.push_back(&all.emplace_back(mul, n));
        const double bytes = ElementwiseCase{mul, n, run.isa(), level.name}.bytes();
        std::vector<double> ours, copies, shares;
        for (int round = 0; round < (run.quick() ? 5 : 11) && !interrupted(); ++round) {
          copies.push_back(rate(team, threads, bytes, [&](std::size_t member) {
            const Arrays& a = *of_member[member];
            probe.read_write(a.gate, a.up, a.out, n);
          }));
          ours.push_back(rate(team, threads, bytes, [&](std::size_t member) {
            const Arrays& a = *of_member[member];
            if (mul) {
              silu_mul(a.gate, a.up, a.out, n, run.isa());
            } else {
              silu(a.gate, a.out, n, run.isa());
            }
          }));
          shares.push_back(100 * ours.back() / copies.back());
        }
        run.at_least(std::string("elementwise: ") + (mul ? "silu_mul, " : "silu, ") + level.name + run.suffix(threads),
                     median(shares), "%", level.target,
                     formatted("of %.1f GB/s that %s moves", median(copies), mul ? "a + b" : "a copy"));
      }
    }
  }
}

}  // namespace swiglu::bench
