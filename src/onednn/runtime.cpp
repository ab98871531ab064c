#include "onednn/runtime.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <sstream>

#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
#include <omp.h>
#elif DNNL_CPU_THREADING_RUNTIME != DNNL_RUNTIME_SEQ
#error "the oneDNN backend needs a oneDNN with OpenMP or without threads (src/CMakeLists.txt checks)"
#endif

namespace swiglu::onednn {
namespace {

// oneDNN keeps 1024 primitives by default: 180 MiB after 1000 different T (hard case O-01). Each object holds its own
// few plans anyway; the process-wide cache only lets objects of one shape (layers of a model) share compiled code.
constexpr int kPrimitiveCacheEntries = 64;
constexpr int kDefaultPrimitiveCacheEntries = 1024;

/// The variable as oneDNN reads it: ONEDNN_<name>, then DNNL_<name>. Null if neither is set.
const char* onednn_env(const std::string& name) {
  if (const char* value = std::getenv(("ONEDNN_" + name).c_str())) return value;
  return std::getenv(("DNNL_" + name).c_str());
}

struct IsaName {
  const char* name;
  int since_minor;  // 3.x
};
constexpr IsaName kIsaNames[] = {
    {"default", 0},
    {"sse41", 0},
    {"avx", 0},
    {"avx2", 0},
    {"avx2_vnni", 0},
    {"avx2_vnni_2", 0},
    {"avx512_core", 0},
    {"avx512_core_vnni", 0},
    {"avx512_core_bf16", 0},
    {"avx512_core_fp16", 0},
    {"avx512_core_amx", 0},
    {"avx512_core_amx_fp16", 0},
    {"avx10_1_512", 4},
    {"avx10_1_512_amx", 4},
    {"avx10_1_512_amx_fp16", 4},
    {"avx10_2_512", 7},
    {"avx10_2_512_amx_2", 7},
};

void check_max_cpu_isa_variable() {
#if defined(__x86_64__)
  const char* value = onednn_env("MAX_CPU_ISA");
  if (value == nullptr || *value == '\0') return;
  std::string name = value;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  std::ostringstream known;
  for (const IsaName& isa : kIsaNames) {
    if (isa.since_minor > dnnl_version()->minor) continue;
    if (name == isa.name) return;
    known << ' ' << isa.name;
  }
  throw InvalidArgument("ONEDNN_MAX_CPU_ISA is \"" + std::string(value) +
                        "\", which this oneDNN would silently ignore; it knows:" + known.str());
#endif
}

/// The limit that keeps oneDNN on `isa`; cpu_isa::isa_default where oneDNN has no such limit.
dnnl::cpu_isa limit_of(Isa isa) {
  switch (isa) {
    case Isa::portable:
      return dnnl::cpu_isa::sse41;  // the least that oneDNN can be limited to
    case Isa::avx2:
      return dnnl::cpu_isa::avx2;
    default:
      return dnnl::cpu_isa::isa_default;
  }
}

}  // namespace

const dnnl::engine& cpu_engine() {
  static const dnnl::engine engine = [] {
    // An application that chose a capacity, by environment or by call, keeps it.
    if (onednn_env("PRIMITIVE_CACHE_CAPACITY") == nullptr &&
        dnnl::get_primitive_cache_capacity() == kDefaultPrimitiveCacheEntries)
      dnnl::set_primitive_cache_capacity(kPrimitiveCacheEntries);
    return dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return engine;
}

void limit_isa(Isa isa) {
  check_max_cpu_isa_variable();
  const dnnl::cpu_isa limit = limit_of(isa);
  if (limit == dnnl::cpu_isa::isa_default || isa == supported_isas().back()) return;
  static_cast<void>(dnnl::set_max_cpu_isa(limit));  // refused after the first use: isa_limit_note() tells
}

std::string isa_limit_note(Isa isa) {
  const int limit = static_cast<int>(limit_of(isa));
  const int effective = static_cast<int>(dnnl::get_effective_cpu_isa());
  if (limit == 0 || (effective & ~limit) == 0 || isa == supported_isas().back()) return {};
  return "oneDNN runs " + effective_isa() + ", above the requested " + to_string(isa) +
         ": it was in use before, and takes a limit only at its start; set ONEDNN_MAX_CPU_ISA, or use another process";
}

std::string effective_isa() {
  const dnnl::cpu_isa isa = dnnl::get_effective_cpu_isa();
  switch (isa) {
    case dnnl::cpu_isa::isa_default:
      return "default";
    case dnnl::cpu_isa::sse41:
      return "sse41";
    case dnnl::cpu_isa::avx:
      return "avx";
    case dnnl::cpu_isa::avx2:
      return "avx2";
    case dnnl::cpu_isa::avx2_vnni:
      return "avx2_vnni";
    case dnnl::cpu_isa::avx2_vnni_2:
      return "avx2_vnni_2";
    case dnnl::cpu_isa::avx512_core:
      return "avx512_core";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "avx512_core_vnni";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "avx512_core_bf16";
    case dnnl::cpu_isa::avx512_core_fp16:
      return "avx512_core_fp16";
    case dnnl::cpu_isa::avx512_core_amx:
      return "avx512_core_amx";
    case dnnl::cpu_isa::avx512_core_amx_fp16:
      return "avx512_core_amx_fp16";
    default:
      break;
  }
  std::ostringstream text;  // newer than the oldest header we compile with
  text << "isa mask 0x" << std::hex << static_cast<int>(isa);
  return text.str();
}

std::size_t thread_count(const Options& options) {
  if (dnnl_version()->cpu_runtime != DNNL_CPU_THREADING_RUNTIME) {
    std::ostringstream text;
    text << "backend onednn: the loaded oneDNN has threading runtime " << dnnl_version()->cpu_runtime
         << " (DNNL_RUNTIME_… of dnnl_config.h), this library was built for " << DNNL_CPU_THREADING_RUNTIME
         << "; build and run with the same oneDNN";
    throw Unsupported(text.str());
  }
  const std::size_t wanted = options.threads == 0 ? default_thread_count() : options.threads;
#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_SEQ
  if (options.threads > 1)
    throw Unsupported("threads is " + std::to_string(wanted) + ", but this oneDNN was built without threads; use 1");
  return 1;
#else
  return wanted;
#endif
}

#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
ThreadScope::ThreadScope(std::size_t threads) : previous_(omp_get_max_threads()) {
  if (previous_ != static_cast<int>(threads)) omp_set_num_threads(static_cast<int>(threads));
}
ThreadScope::~ThreadScope() {
  if (previous_ != omp_get_max_threads()) omp_set_num_threads(previous_);
}
#else
ThreadScope::ThreadScope(std::size_t) : previous_(1) {}
ThreadScope::~ThreadScope() = default;
#endif

}  // namespace swiglu::onednn
