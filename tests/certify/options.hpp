#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "certify/stream.hpp"

namespace swiglu::certify {

/// A command line that cannot be meant; exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::vector<std::string> functions;  ///< empty = all that have a kernel
  std::vector<std::string> isas;       ///< empty = all that run here; "reference" only with --eval
  std::size_t threads = 0;             ///< 0 = default_thread_count()
  Stream stream;
  std::string out = "accuracy.json";
  std::string expect;  ///< empty = compare with no file
  std::string eval;    ///< function to evaluate on stdin's numbers; empty = certify
  bool markdown = false;
  bool help = false, version = false, list = false;
};

Options parse_options(int argc, char** argv);
std::string help_text();

}  // namespace swiglu::certify
