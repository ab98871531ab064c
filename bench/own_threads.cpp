#include "own_threads.hpp"

#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace swiglu::bench {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{1};
constexpr int kLooks = 100;

// State of a thread, the letter after the last parenthesis of its stat file: "17 (swiglu-bench) S …".
bool runs(const std::filesystem::path& thread) {
  std::ifstream file(thread / "stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name = line.rfind(')');
  return name != std::string::npos && line.compare(name, 3, ") R") == 0;
}

// Not asked of the CPU clocks: the kernel books the time of a thread on another CPU at its ticks, every 4 ms at 250 Hz,
// and a look between two of them took OpenMP's spinning worker for asleep. Next to it the first 8 ms of a native call
// had one core: 576/1536, T = 1024, 2 threads came out at 0.84× of oneDNN instead of 1.05×.
bool other_thread_runs() {
  const std::string self = std::to_string(gettid());
  std::error_code error;  // a thread may end meanwhile
  for (std::filesystem::directory_iterator thread("/proc/self/task", error), end; !error && thread != end;
       thread.increment(error)) {
    if (thread->path().filename() != self && runs(thread->path())) return true;
  }
  return false;
}

void warn_once() {
  static bool said = false;
  if (said) return;
  said = true;
  // On a terminal a line of progress may stand open.
  std::fprintf(
      stderr,
      "%swarning: threads of an earlier call still run 0.1 s after it, and disturb what is measured beside them "
      "(marked spinning_threads). OpenMP's spin for ever under OMP_WAIT_POLICY=active or a large "
      "GOMP_SPINCOUNT: unset both\n",
      isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "");
}

}  // namespace

double process_cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

bool let_workers_sleep(std::size_t threads) {
  if (threads == 1 && !other_thread_runs()) return true;
  for (int look = 0; look < kLooks; ++look) {
    std::this_thread::sleep_for(kBetweenLooks);
    if (!other_thread_runs()) return true;
  }
  warn_once();
  return false;
}

}  // namespace swiglu::bench
