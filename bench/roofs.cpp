#include "roofs.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>

#include "clock.hpp"
#include "probes/probe.hpp"
#include "stats.hpp"

namespace swiglu::bench {
namespace {

constexpr std::size_t kChunkFloats = std::size_t{1} << 20;  // 4 MiB between two looks at the clock, about 0.1 ms

void keep(float value) { asm volatile("" : : "r"(&value) : "memory"); }

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

}  // namespace

std::vector<Isa> measurable_isas() {
  std::vector<Isa> isas;
  for (const Isa isa : supported_isas()) {
    if (find_probe(isa) != nullptr) isas.push_back(isa);
  }
  return isas;
}

Roofs::Roofs(const std::vector<int>& cpus, std::size_t arena_bytes)
    : team_(cpus), arena_(std::max(arena_bytes, cpus.size() * kChunkFloats * sizeof(float) * 8)) {
  const auto isas = measurable_isas();
  if (isas.empty()) throw std::runtime_error("no instruction set of this build can be measured on this machine");
  widest_ = isas.back();
  cursor_.assign(cpus.size(), 0);
}

double Roofs::peak_gflops(Isa isa, std::size_t threads, double seconds) {
  const Probe* probe = find_probe(isa);
  if (probe == nullptr) throw std::runtime_error(std::string("no peak probe for ISA ") + to_string(isa));
  std::vector<double> rates(threads);
  team_.run(threads, [&](std::size_t member) {
    std::size_t steps = 0;
    const double begin = now();
    double elapsed = 0;
    while (elapsed < seconds) {
      probe->multiply_add(64);
      steps += 64;
      elapsed = now() - begin;
    }
    rates[member] = static_cast<double>(steps) * static_cast<double>(probe->flops_per_step) / elapsed * 1e-9;
  });
  return sum(rates);
}

double Roofs::read_pass(std::size_t threads, double seconds, bool prefetch) {
  const Probe* probe = find_probe(widest_);
  // Every member has its own share of the arena and goes round in it, on from where it stopped.
  const std::size_t share = arena_.floats() / threads / kChunkFloats * kChunkFloats;
  std::vector<double> rates(threads);
  team_.run(threads, [&](std::size_t member) {
    const float* base = arena_.data() + member * share;
    std::size_t& cursor = cursor_[member];
    std::size_t floats = 0;
    const double begin = now();
    double elapsed = 0;
    while (elapsed < seconds) {
      if (cursor + kChunkFloats > share) cursor = 0;
      keep(probe->read(base + cursor, kChunkFloats, prefetch));
      cursor += kChunkFloats;
      floats += kChunkFloats;
      elapsed = now() - begin;
    }
    rates[member] = static_cast<double>(floats * sizeof(float)) / elapsed * 1e-9;
  });
  return sum(rates);
}

double Roofs::read_gbps(std::size_t threads, double seconds) {
  if (prefetch_.count(threads) == 0) {
    std::vector<double> plain, prefetched;
    for (int i = 0; i < 3; ++i) {
      plain.push_back(read_pass(threads, 20e-3, false));
      prefetched.push_back(read_pass(threads, 20e-3, true));
    }
    prefetch_[threads] = median(prefetched) > median(plain);
  }
  return read_pass(threads, seconds, prefetch_[threads]);
}

double Roofs::clock_ghz(double seconds) {
  double result = 0;
  team_.run(1, [&](std::size_t) {
    constexpr std::size_t kChain = 64;
    std::size_t value = 1, turns = 0;
    const double begin = now();
    double elapsed = 0;
    while (elapsed < seconds) {
      for (int turn = 0; turn < 1000; ++turn) {
#pragma GCC unroll 64
        for (std::size_t i = 0; i < kChain; ++i) {
          value += turns;  // one cycle of latency on every CPU in question
          asm volatile("" : "+r"(value));
        }
      }
      turns += 1000;
      elapsed = now() - begin;
    }
    result = static_cast<double>(turns * kChain) / elapsed * 1e-9;
  });
  return result;
}

double Roofs::round_trip_ns(double seconds) {
  if (team_.size() < 2) return 0;
  alignas(128) std::atomic<std::size_t> line{0};
  double result = 0;
  constexpr std::size_t kStop = static_cast<std::size_t>(-1);
  team_.run(2, [&](std::size_t member) {
    if (member == 1) {
      for (;;) {
        const std::size_t value = line.load(std::memory_order_acquire);
        if (value == kStop) return;
        if (value % 2 == 1) line.store(value + 1, std::memory_order_release);
      }
    }
    std::size_t trips = 0;
    const double begin = now();
    double elapsed = 0;
    while (elapsed < seconds) {
      for (int i = 0; i < 100; ++i, ++trips) {
        line.store(2 * trips + 1, std::memory_order_release);
        while (line.load(std::memory_order_acquire) != 2 * trips + 2) {
        }
      }
      elapsed = now() - begin;
    }
    line.store(kStop, std::memory_order_release);
    result = elapsed / static_cast<double>(trips) * 1e9;
  });
  return result;
}

double Roofs::read_gbps_of_size(std::size_t bytes, double seconds) {
  const Probe* probe = find_probe(widest_);
  const std::size_t floats = std::min(bytes / sizeof(float), arena_.floats()) / 256 * 256;
  double best = 0;
  for (const bool prefetch : {false, true}) {
    team_.run(1, [&](std::size_t) {
      keep(probe->read(arena_.data(), floats, prefetch));  // brings the set in
      std::size_t passes = 0;
      const double begin = now();
      double elapsed = 0;
      while (elapsed < seconds / 2) {
        keep(probe->read(arena_.data(), floats, prefetch));
        ++passes;
        elapsed = now() - begin;
      }
      best = std::max(best, static_cast<double>(passes * floats * sizeof(float)) / elapsed * 1e-9);
    });
  }
  return best;
}

double Roofs::read_write_gbps(int inputs, std::size_t floats, double seconds) {
  const Probe* probe = find_probe(widest_);
  // Three regions whose starts differ modulo 4 KiB, so that a store never waits for a load it seems to overlap. The
  // output is sums of inputs that do not change: the arena stays written, finite and normal.
  const std::size_t quarter = arena_.floats() / 4;
  const std::size_t n = std::min(floats, quarter - 4096) / 64 * 64;
  const float* a = arena_.data();
  const float* b = inputs == 2 ? a + quarter + 16 * 21 : nullptr;
  float* out = arena_.data() + 3 * quarter + 16 * 43;
  double rate = 0;
  team_.run(1, [&](std::size_t) {
    probe->read_write(a, b, out, n);
    std::size_t passes = 0;
    const double begin = now();
    double elapsed = 0;
    while (elapsed < seconds) {
      probe->read_write(a, b, out, n);
      ++passes;
      elapsed = now() - begin;
    }
    rate = static_cast<double>(passes * n * sizeof(float)) * (inputs + 1) / elapsed * 1e-9;
  });
  return rate;
}

Roof Roofs::beside_block(Isa isa, std::size_t threads) {
  Roof roof;
  roof.peak_gflops = peak_gflops(isa, threads, 2e-3);
  roof.read_gbps = read_gbps(threads, 10e-3);
  if (threads > 1) roof.round_trip_ns = round_trip_ns(2e-3);
  return roof;
}

std::vector<CurvePoint> bandwidth_curve(Roofs& roofs) {
  std::vector<CurvePoint> curve;
  for (std::size_t bytes = 16 << 10; bytes <= roofs.arena().bytes(); bytes *= 2) {
    curve.push_back({bytes, roofs.read_gbps_of_size(bytes, 20e-3)});
    const std::size_t between = bytes + bytes / 2;
    if (between <= roofs.arena().bytes()) curve.push_back({between, roofs.read_gbps_of_size(between, 20e-3)});
  }
  return curve;
}

std::size_t cache_knee(const std::vector<CurvePoint>& curve) {
  if (curve.empty()) return 0;
  const double memory = curve.back().gbps;
  std::size_t knee = 0;
  for (const auto& point : curve) {
    if (point.gbps > 2 * memory) knee = point.bytes;  // sets a little larger than the cache still hit in part
  }
  return knee;
}

}  // namespace swiglu::bench
