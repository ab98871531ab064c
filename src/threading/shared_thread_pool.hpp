#pragma once

#include <memory>

#include "swiglu/executor.h"

namespace swiglu {

/// The pool of `threads` threads (0 = default_thread_count()) that all objects without an executor of their own share;
/// made when the first asks for it, gone with the last. One pool per object would let the idle workers of one layer
/// spin on the cores that the next layer needs: two objects in turns, 2 threads, 2048/5632 at T = 1 took 12–15 ms a
/// call instead of 3.
std::shared_ptr<Executor> shared_thread_pool(std::size_t threads);

}  // namespace swiglu
