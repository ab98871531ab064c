#pragma once

// One matrix product, its panels spread over workers.

#include <cstddef>

#include "driver/panel_sweep.hpp"
#include "swiglu/executor.h"

namespace swiglu {

/// How many of `workers` that many multiply-adds (of one phase) are worth waking: at least 1.
std::size_t useful_workers(std::size_t multiply_adds, std::size_t workers);

/// Computes panels 0 … panels - 1 of a product of `rows` rows on at most `workers` tasks of the executor (not used if
/// one is enough, and may be null then). Worker w has its scratch at partial + w · partial_stride (WorkspaceLayout).
void run_phase(const PanelProduct& product, std::size_t panels, float* partial, std::size_t partial_stride,
               std::size_t rows, Executor* executor, std::size_t workers);

}  // namespace swiglu
