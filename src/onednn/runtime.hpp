#pragma once

// What oneDNN keeps per process or per thread, and how this backend sets it: library version, ISA limit, primitive
// cache, OpenMP threads.

#include <cstddef>
#include <dnnl.hpp>
#include <string>

#include "swiglu/feed_forward.h"

namespace swiglu::onednn {

/// The CPU engine. The first call limits oneDNN's process-wide primitive cache (see runtime.cpp).
const dnnl::engine& cpu_engine();

/// Tries to keep oneDNN at or below `isa` if that is less than this machine's best. oneDNN takes such a limit only
/// before its first primitive, once, for the whole process; afterwards nothing happens and isa_limit_note() says so.
/// Throws InvalidArgument if ONEDNN_MAX_CPU_ISA holds a name that oneDNN would silently ignore.
void limit_isa(Isa isa);

/// Empty if oneDNN runs at most `isa`, else one line that says what it runs and how to force less.
std::string isa_limit_note(Isa isa);

/// "avx2", "avx512_core_bf16", …: what oneDNN's dispatcher is limited to. Asking freezes the limit.
std::string effective_isa();

/// Threads that an object with these options uses. Throws Unsupported if the loaded oneDNN has another threading
/// runtime than the one this library was built against, or cannot use the wanted number.
std::size_t thread_count(const Options& options);

/// While alive, oneDNN uses `threads` OpenMP threads in calls from this thread; the caller's setting comes back.
class ThreadScope {
 public:
  explicit ThreadScope(std::size_t threads);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int previous_;
};

/// Calls task(row) for every row < rows, over `threads` threads as oneDNN spreads its own loops (static OpenMP).
template <class Task>
void for_each_row(std::size_t rows, std::size_t threads, const Task& task) {
#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
#pragma omp parallel for schedule(static) num_threads(static_cast<int>(threads)) if (threads > 1)
#endif
  for (std::size_t row = 0; row < rows; ++row) task(row);
  static_cast<void>(threads);  // used by the pragma only
}

/// Runs `body` and turns oneDNN's exceptions into those of our API: std::bad_alloc, Unsupported, std::runtime_error.
template <class Body>
auto translating_errors(const Body& body) {
  try {
    return body();
  } catch (const dnnl::error& e) {
    if (e.status == dnnl_out_of_memory) throw std::bad_alloc();
    if (e.status == dnnl_unimplemented) throw Unsupported(std::string("oneDNN: ") + e.what());
    throw std::runtime_error(std::string("oneDNN: ") + e.what());
  }
}

}  // namespace swiglu::onednn
