#pragma once

#include <cstddef>
#include <string>

namespace swiglu::bench {

/// After the first Ctrl-C this is true: what is running stops at the next sample and results are still written. The
/// second Ctrl-C ends the program.
bool interrupted();
void catch_interrupts();

/// Lines on stderr: "[ 12/63  1:05, about 2:10 left] …".
class Progress {
 public:
  /// `estimated_seconds`: of all steps together, by the roofline model.
  Progress(std::size_t steps, double estimated_seconds);

  /// One step is done, which was estimated at `estimated_seconds`; the estimate of what is left is scaled by how the
  /// past ones came out.
  void step(double estimated_seconds, const std::string& text);

 private:
  std::size_t steps_, done_ = 0;
  double total_, estimated_done_ = 0, begin_;
};

std::string minutes(double seconds);  ///< "1:05"

}  // namespace swiglu::bench
