#pragma once

#include <cstddef>

namespace swiglu::bench {

/// CPU time of all threads of this process so far, in seconds; of those on other CPUs, up to the kernel's last tick
/// there.
double process_cpu_seconds();

/// Workers of an arm spin for milliseconds after its last call, on the cores that come next (OpenMP's up to ten; ours
/// for two). Waits until all threads but this one sleep, for at most 0.1 s. If `threads`, those of the arm before, is
/// 1, only looks whether there is anybody to wait for. False if some still run, which the first time is said on stderr:
/// what is measured next is disturbed, and the caller must leave a mark on it.
[[nodiscard]] bool let_workers_sleep(std::size_t threads);

}  // namespace swiglu::bench
