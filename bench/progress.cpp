#include "progress.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "clock.hpp"

namespace swiglu::bench {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;

void on_interrupt(int signal) {
  g_interrupted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

bool interrupted() { return g_interrupted != 0; }

void catch_interrupts() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

Progress::Progress(std::size_t steps, double estimated_seconds)
    : steps_(steps), total_(estimated_seconds), begin_(now()) {}

void Progress::step(double estimated_seconds, const std::string& text) {
  ++done_;
  estimated_done_ += estimated_seconds;
  const double elapsed = now() - begin_;
  const double scale = estimated_done_ > 0 ? elapsed / estimated_done_ : 1;
  const double left = std::max(0.0, total_ - estimated_done_) * scale;
  std::fprintf(stderr, "[%3zu/%zu  %s, about %s left] %s\n", done_, steps_, minutes(elapsed).c_str(),
               minutes(left).c_str(), text.c_str());
}

std::string minutes(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  char text[32];
  std::snprintf(text, sizeof text, "%ld:%02ld", whole / 60, whole % 60);
  return text;
}

}  // namespace swiglu::bench
