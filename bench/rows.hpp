#pragma once

// Rows of the results file (benchmarking.md §7, flat numbers). Seconds for t_*, base 1000 for rates.

#include <string>

#include "comparison.hpp"
#include "json.hpp"
#include "points.hpp"

namespace swiglu::bench {

/// Shape fields of a point and the implementation, the same in rows of every engine.
void set_identity(Json& row, const Point& point, Impl impl);

/// The name and shape fields that every ffn row has, and the fields of Google Benchmark that do not depend on timing.
Json row_head(const Point& point, Impl impl);

/// A row that was not measured: status "SKIPPED" or "WRONG".
Json unmeasured_row(const Point& point, Impl impl, const char* status, const std::string& reason);

/// Rates and percentages of one call of t seconds under a roof; also used for Google Benchmark's counters.
struct Rates {
  double flops, bytes_min, gflops, gbps, weight_gbps, pct_peak, pct_bw, pct_roof, t_roof;
};
Rates rates(const Point& point, double t, const Roof& roof);

/// GB/s at most 10 % over the measured read bandwidth: no cache can have helped.
bool is_cold(double gbps, const Roof& roof);

struct RowSummary {
  double t_median = 0, pct_roof = 0;
};
Json measured_row(const Point& point, const Comparison& comparison, std::size_t arm, bool rotation_enough,
                  std::size_t planned_rounds, RowSummary* summary);

Json pair_row(const Point& point, const Comparison& comparison, std::size_t contender, std::size_t baseline,
              const char* baseline_name);

Json sample_row(const Point& point, const Comparison& comparison, std::size_t round, std::size_t arm, double start);

}  // namespace swiglu::bench
