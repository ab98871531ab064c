#include "health.hpp"

#include <sys/resource.h>

#include <cstdio>
#include <cstring>
#include <memory>

namespace swiglu::bench {
namespace {

/// The number after `key` on the first line of `path` that contains it; −1 if there is none.
double number_after(const char* path, const char* key) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "r"), std::fclose);
  if (!file) return -1;
  char line[512];
  double value = -1;
  while (std::fgets(line, sizeof line, file.get()) != nullptr) {
    const char* at = std::strstr(line, key);
    if (at == nullptr) continue;
    at += std::strlen(key);
    if (std::sscanf(at + std::strspn(at, " :\t"), "%lf", &value) == 1) return value;
  }
  return -1;
}

/// Eighth number of /proc/stat's first line: user nice system idle iowait irq softirq steal.
long steal_ticks() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/stat", "r"), std::fclose);
  long steal = -1;
  if (file && std::fscanf(file.get(), "cpu %*d %*d %*d %*d %*d %*d %*d %ld", &steal) != 1) steal = -1;
  return steal;
}

template <class Number>
Number difference(Number after, Number before) {
  return after < 0 || before < 0 ? Number(-1) : after - before;
}

}  // namespace

Health read_health() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {usage.ru_nivcsw, steal_ticks(), number_after("/proc/pressure/cpu", "total="),
          static_cast<long>(number_after("/proc/self/sched", "se.nr_migrations"))};
}

Health operator-(const Health& after, const Health& before) {
  return {after.preemptions - before.preemptions, difference(after.steal, before.steal),
          difference(after.psi_us, before.psi_us), difference(after.migrations, before.migrations)};
}

}  // namespace swiglu::bench
