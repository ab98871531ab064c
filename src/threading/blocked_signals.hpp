#pragma once

#include <pthread.h>

#include <csignal>

namespace swiglu {

/// While alive, this thread gets no signal, nor do, for good, the threads that it starts meanwhile: the handlers of a
/// host, which may count on its own threads (their stacks, their thread-local state, calls that return EINTR), never
/// run on ours. Except for those that are about the very thread: faults, which POSIX leaves undefined if blocked (a
/// host may serve them, too: write barriers, memory filled on demand), and the profiler's clock, whose samples would
/// accuse another thread.
class BlockedSignals {
 public:
  BlockedSignals() noexcept {
    sigset_t signals;
    sigfillset(&signals);
    for (const int open : {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP, SIGPROF}) sigdelset(&signals, open);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace swiglu
