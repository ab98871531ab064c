#pragma once

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

namespace swiglu::testing {

/// While alive, `processes` other processes spin, on `cpu` or anywhere, so that the scheduler takes CPUs away in the
/// middle of things.
class BusyMachine {
 public:
  static constexpr int kAnyCpu = -1;

  explicit BusyMachine(std::size_t processes, int cpu = kAnyCpu) {
    for (std::size_t i = 0; i < processes; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // not even a crashed test leaves one behind
        if (cpu != kAnyCpu) {
          cpu_set_t set;
          CPU_ZERO(&set);
          CPU_SET(cpu, &set);
          sched_setaffinity(0, sizeof set, &set);
        }
        for (volatile unsigned turns = 0;; turns = turns + 1) {
        }
      }
      if (child > 0) children_.push_back(child);
    }
  }
  ~BusyMachine() {
    for (const pid_t child : children_) kill(child, SIGKILL);
    for (const pid_t child : children_) waitpid(child, nullptr, 0);
  }
  BusyMachine(const BusyMachine&) = delete;
  BusyMachine& operator=(const BusyMachine&) = delete;

  std::size_t size() const { return children_.size(); }

 private:
  std::vector<pid_t> children_;
};

}  // namespace swiglu::testing
