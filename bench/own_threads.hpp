#pragma once

#include <cstddef>

namespace swiglu::bench {

/// CPU time of all threads of this process so far, in seconds; of those on other CPUs, up to the kernel's last tick
/// there.
double process_cpu_seconds();

/// Workers of an arm spin for milliseconds after its last call, on the cores that come next (OpenMP's up to ten; ours
/// for two). Waits until all threads but this one sleep, for at most 0.1 s; does nothing if `threads` is 1.
void let_workers_sleep(std::size_t threads);

}  // namespace swiglu::bench
