#pragma once

#include <vector>

#include "rows.hpp"

namespace swiglu::bench {

/// Prints one line per baseline: geometric mean and worst of the ratios, wins, ties and losses.
void print_tallies(const std::vector<PointResult>& results, const Plan& plan, const Implementation* wanted_contender,
                   const Implementation* wanted_baseline);

}  // namespace swiglu::bench
