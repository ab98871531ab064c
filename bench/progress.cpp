#include "progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "clock.hpp"

namespace swiglu::bench {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;

constexpr double kSecondsBetweenLines = 15;

void on_interrupt(int signal) {
  g_interrupted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

bool interrupted() { return g_interrupted != 0; }

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;  // no SA_RESTART: a parent that waits for its launch must notice
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

Progress::Progress(std::size_t steps, double estimated_seconds, std::size_t launch, std::size_t launches)
    : terminal_(isatty(STDERR_FILENO) != 0),
      steps_(steps),
      launch_(launch),
      launches_(launches),
      total_(estimated_seconds),
      begin_(now()) {}

Progress::~Progress() { end_line(); }

void Progress::end_line() {
  if (line_open_) std::fputc('\n', stderr);
  line_open_ = false;
}

void Progress::note(const std::string& text) {
  end_line();
  std::fprintf(stderr, "%s\n", text.c_str());
}

void Progress::step(double estimated_seconds, const std::string& text) {
  ++done_;
  estimated_done_ += estimated_seconds;
  const double elapsed = now() - begin_;
  const double scale = estimated_done_ > 0 ? elapsed / estimated_done_ : 1;
  const double left =
      (std::max(0.0, total_ - estimated_done_) + static_cast<double>(launches_ - launch_ - 1) * total_) * scale;
  if (!terminal_ && done_ != 1 && done_ != steps_ && elapsed - last_line_ < kSecondsBetweenLines) return;
  last_line_ = elapsed;
  char head[120];
  int length = 0;
  if (launches_ > 1) length = std::snprintf(head, sizeof head, "launch %zu/%zu ", launch_ + 1, launches_);
  std::snprintf(head + length, sizeof head - static_cast<std::size_t>(length), "[%3zu/%zu  %s, about %s left] ", done_,
                steps_, minutes(elapsed).c_str(), minutes(left).c_str());
  if (!terminal_) {
    std::fprintf(stderr, "%s%s\n", head, text.c_str());
    return;
  }
  winsize size{};
  const std::size_t width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79u;
  std::fprintf(stderr, "\r\033[K%s", (head + text).substr(0, width).c_str());
  line_open_ = true;
}

std::string minutes(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  char text[32];
  std::snprintf(text, sizeof text, "%ld:%02ld", whole / 60, whole % 60);
  return text;
}

}  // namespace swiglu::bench
