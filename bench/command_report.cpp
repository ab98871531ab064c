// Hands over to scripts/report, the Python that draws.

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "commands.hpp"

namespace swiglu::bench {

int command_report(const Options& options) {
  const std::string folder = BENCH_SCRIPTS "/report";
  const char* const python = "/usr/bin/python3";  // the one that has the distribution's matplotlib
  if (access((folder + "/__main__.py").c_str(), R_OK) != 0) {
    throw UsageError("report: " + folder +
                     " is not there: this program was built from a source tree that is gone or moved");
  }
  if (access(python, X_OK) != 0) throw UsageError(std::string("report: ") + python + " is missing: install python3");
  std::vector<std::string> words = {python, folder};
  words.insert(words.end(), options.words.begin(), options.words.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  setenv("PYTHONDONTWRITEBYTECODE", "1", 0);
  execv(python, argv.data());
  throw UsageError(std::string("report: cannot start ") + python + ": " + std::strerror(errno));
}

}  // namespace swiglu::bench
