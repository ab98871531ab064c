#pragma once

// forward(): row blocks, the two products, and how their panels or rows are spread over workers.

#include <cstddef>

#include "backend.hpp"
#include "driver/plan.hpp"

namespace swiglu {

/// Runs one validated call on packed weights. `executor` null = the calling thread alone. Allocates nothing.
void run_block(const PackedBlock& block, const ForwardCall& call, Executor* executor, std::size_t workers);

}  // namespace swiglu
