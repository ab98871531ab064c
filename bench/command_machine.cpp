#include <cstdio>

#include "commands.hpp"
#include "session.hpp"

namespace swiglu::bench {

int command_machine(const Options& options) {
  Session session(options);
  std::vector<std::size_t> threads = {1};
  if (session.limits().max_threads > 1) threads.push_back(session.limits().max_threads);
  session.calibrate(asked_isas(options, session.limits()), threads);
  if (options.format == Format::console) {
    std::printf("last-level cache used for rotation: %zu MiB\n", session.llc_bytes() >> 20);
  }
  session.write();
  session.print();
  return kOk;
}

}  // namespace swiglu::bench
