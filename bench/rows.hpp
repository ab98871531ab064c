#pragma once

// Rows of the results file: README.md here lists the fields. Seconds for t_*, base 1000 for rates.

#include <string>

#include "comparison.hpp"
#include "json.hpp"
#include "measurement.hpp"
#include "points.hpp"

namespace swiglu::bench {

/// Shape fields of a point and the implementation, the same in rows of every engine.
void set_identity(Json& row, const Point& point, const Implementation& impl);

/// Rates and percentages of one call of t seconds under a roof; also used for Google Benchmark's counters.
struct Rates {
  double flops, bytes_min, gflops, gbps, weight_gbps, pct_peak, pct_bw, pct_roof, t_roof;
};
Rates rates(const Point& point, Family family, double t, const Roof& roof);

/// GB/s at most 10 % over the measured read bandwidth: no cache can have helped.
bool is_cold(double gbps, const Roof& roof);

/// What was asked for, which decides about flags.
struct Plan {
  std::size_t rounds = 0;
  std::size_t launches = 1;
  bool verified = true;
  double confidence = 0.99;
};

/// One row per implementation of the point: measured, SKIPPED or WRONG.
std::vector<Json> point_rows(const PointResult& result, const Plan& plan);

/// native against every other implementation and against oneDNN's fastest form ("onednn-strongest"); with
/// `contender` and `baseline` those two only.
std::vector<Json> point_pairs(const PointResult& result, const Plan& plan, const Implementation* contender,
                              const Implementation* baseline);

std::vector<Json> point_samples(const PointResult& result);

/// Median over launches of the median call.
double typical_seconds(const PointResult& result, std::size_t arm);

/// The arm of oneDNN's fastest form; arms.size() if there is none.
std::size_t strongest_onednn(const PointResult& result);

}  // namespace swiglu::bench
