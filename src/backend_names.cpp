// What this build is: its version, its backends, and their names.

#include "swiglu/error.h"
#include "swiglu/feed_forward.h"
#include "swiglu/version.h"

namespace swiglu {
namespace {

struct BackendRow {
  Backend backend;
  const char* name;
  bool compiled;
};

constexpr BackendRow kBackends[] = {
    {Backend::native, "native", true},
#ifdef SWIGLU_HAVE_ONEDNN
    {Backend::onednn, "onednn", true},
#else
    {Backend::onednn, "onednn", false},
#endif
    {Backend::reference, "reference", true},
};

}  // namespace

const char* version() noexcept { return SWIGLU_VERSION; }

const char* to_string(Backend backend) noexcept {
  for (const BackendRow& row : kBackends) {
    if (row.backend == backend) return row.name;
  }
  return "invalid";
}

Backend parse_backend(const std::string& name) {
  std::string known;
  for (const BackendRow& row : kBackends) {
    if (name == row.name) return row.backend;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  throw InvalidArgument("backend = \"" + name + "\": must be one of " + known);
}

std::vector<Backend> compiled_backends() {
  std::vector<Backend> backends;
  for (const BackendRow& row : kBackends) {
    if (row.compiled) backends.push_back(row.backend);
  }
  return backends;
}

}  // namespace swiglu
