#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

namespace swiglu::testing {

/// While alive, `processes` other processes spin, so that the scheduler takes CPUs away in the middle of things.
class BusyMachine {
 public:
  explicit BusyMachine(std::size_t processes) {
    for (std::size_t i = 0; i < processes; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // not even a crashed test leaves one behind
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
