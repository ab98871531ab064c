#pragma once

namespace swiglu::bench {

/// What disturbed a measurement, counted by the system; differences of two readings. Where the system does not tell,
/// the field is −1.
struct Health {
  long preemptions = 0;  ///< involuntary context switches of the process: somebody else wanted the CPUs
  long steal = -1;       ///< ticks (10 ms) that the hypervisor took from all CPUs
  double psi_us = -1;    ///< PSI cpu "some": time in which a runnable task of the system waited for a CPU
  long migrations = -1;  ///< moves of the calling thread between CPUs
};

Health read_health();
Health operator-(const Health& after, const Health& before);

}  // namespace swiglu::bench
