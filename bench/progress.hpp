#pragma once

#include <cstddef>
#include <string>

namespace swiglu::bench {

/// After the first Ctrl-C (or SIGTERM) this is true: what is running stops at the next sample and results are still
/// written. The second one ends the program.
bool interrupted();
void catch_interrupts();

/// "[ 12/63  1:05, about 2:10 left] …" on stderr: one line that is rewritten on a terminal, else a line now and then.
class Progress {
 public:
  /// `estimated_seconds`: of all steps together, by the roofline model. `launch` of `launches`: this is one process of
  /// several, and the others will need as long.
  Progress(std::size_t steps, double estimated_seconds, std::size_t launch = 0, std::size_t launches = 1);
  ~Progress();  ///< ends the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One step is done, which was estimated at `estimated_seconds`; the estimate of what is left is scaled by how the
  /// past ones came out.
  void step(double estimated_seconds, const std::string& text);

  /// A line that stays, whatever the terminal.
  void note(const std::string& text);

 private:
  void end_line();

  bool terminal_, line_open_ = false;
  std::size_t steps_, done_ = 0, launch_, launches_;
  double total_, estimated_done_ = 0, begin_, last_line_ = 0;
};

std::string minutes(double seconds);  ///< "1:05"

}  // namespace swiglu::bench
