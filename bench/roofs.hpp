#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "arena.hpp"
#include "swiglu/isa.h"
#include "team.hpp"

namespace swiglu::bench {

struct Roof {
  double peak_gflops = 0;    ///< multiply-adds in registers, of one ISA, on n threads
  double read_gbps = 0;      ///< read-only stream from memory, on n threads
  double round_trip_ns = 0;  ///< one cache line to the second core and back; 0 with one thread
};

/// Probes of what the machine can do, short enough to be repeated beside every block: on shared hosts the limits
/// change within seconds, and nothing in the guest says so.
class Roofs {
 public:
  /// cpus[0..n) run the probes of n threads.
  Roofs(const std::vector<int>& cpus, std::size_t arena_bytes);

  double peak_gflops(Isa isa, std::size_t threads, double seconds);
  double read_gbps(std::size_t threads, double seconds);  ///< with or without software prefetch, whichever is faster
  double clock_ghz(double seconds);                       ///< of cpus[0], from a chain of dependent integer additions
  double round_trip_ns(double seconds);                   ///< between cpus[0] and cpus[1]; 0 if there is only one

  /// Read bandwidth of one thread over a working set of `bytes`.
  double read_gbps_of_size(std::size_t bytes, double seconds);

  /// (read + written bytes)/time of out = a (`inputs` 1) or a + b (2), one thread, arrays of `floats`.
  double read_write_gbps(int inputs, std::size_t floats, double seconds);

  /// All of them, about 12 ms (16 with two threads).
  Roof beside_block(Isa isa, std::size_t threads);

  const Arena& arena() const { return arena_; }

 private:
  double read_pass(std::size_t threads, double seconds, bool prefetch);

  Team team_;
  Arena arena_;
  Isa widest_;                            // bandwidth is probed with the widest loads there are
  std::map<std::size_t, bool> prefetch_;  // by thread count: which way of reading is the faster, found at the first use
  std::vector<std::size_t> cursor_;       // floats; where each member's next read starts, so that it is cold
};

struct CurvePoint {
  std::size_t bytes;
  double gbps;
};

/// 16 KiB … the arena. The largest size that is clearly faster than memory is where the last cache ends, whatever the
/// machine reports.
std::vector<CurvePoint> bandwidth_curve(Roofs& roofs);
std::size_t cache_knee(const std::vector<CurvePoint>& curve);

/// ISAs that this machine runs, the library has, and a probe exists for; best last.
std::vector<Isa> measurable_isas();

}  // namespace swiglu::bench
