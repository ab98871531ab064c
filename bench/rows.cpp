#include "rows.hpp"

#include <algorithm>
#include <functional>

#include "formulas.hpp"
#include "onednn/onednn_info.hpp"
#include "stats.hpp"

namespace swiglu::bench {
namespace {

constexpr double kColdMargin = 1.10;

/// Involuntary switches per second and thread. A quiet machine shows up to 50 (kernel threads), a second process on the
/// same core some 200.
constexpr double kBusyPreemptions = 100;

std::string impl_detail(const Point& point, const Arm& arm) {
  std::string text;
  if (is_onednn(arm.impl())) {
    const auto form = arm.impl() == Impl::onednn_wide ? OneDnnForm::wide : OneDnnForm::post_ops;
    for (const auto& matmul : onednn::describe_block(point.shape.d, point.shape.h, point.T, form, point.threads)) {
      text += (text.empty() ? "" : "; ") + matmul.role + ": " + matmul.implementation + " " + matmul.weights_layout;
    }
    return text;
  }
  for (const char c : arm.detail()) text += c == '\n' ? std::string("; ") : std::string(1, c);
  return text;
}

/// Median over rounds of a value of the round.
double over_rounds(const Comparison& comparison, const std::function<double(const Round&)>& value) {
  std::vector<double> values;
  for (const Round& round : comparison.rounds) values.push_back(value(round));
  return median(values);
}

double spread(const Comparison& comparison, const std::function<double(const Round&)>& value) {
  std::vector<double> values;
  for (const Round& round : comparison.rounds) values.push_back(value(round));
  return quantile(values, 1) / quantile(values, 0) - 1;
}

void set_shape(Json& json, const Point& point) {
  json.set("d", point.shape.d).set("h", point.shape.h).set("m", point.shape.m).set("T", point.T);
  json.set("isa", swiglu::to_string(point.isa)).set("dtype", "f32").set("thr", point.threads);
  json.set("cache", to_string(point.cache)).set("model", point.shape.model).set("set", point.shape.set);
}

}  // namespace

void set_identity(Json& row, const Point& point, Impl impl) {
  row.set("family", "ffn").set("impl", to_string(impl));
  set_shape(row, point);
}

Json row_head(const Point& point, Impl impl) {
  const std::string name = row_name(point, impl);
  Json row;
  row.set("name", name).set("run_name", name).set("run_type", "iteration");
  row.set("family_index", 0).set("per_family_instance_index", 0).set("repetitions", 1).set("repetition_index", 0);
  row.set("threads", 1);  // Google Benchmark's own threads; ours are "thr"
  set_identity(row, point, impl);
  return row;
}

Json unmeasured_row(const Point& point, Impl impl, const char* status, const std::string& reason) {
  Json row = row_head(point, impl);
  row.set("iterations", 0).set("real_time", 0.0).set("cpu_time", 0.0).set("time_unit", "ns");
  row.set("status", status).set("skip_reason", reason);
  row.set("error_occurred", true).set("error_message", reason);
  return row;
}

Rates rates(const Point& point, double t, const Roof& roof) {
  Rates r{};
  r.flops = block_flops(point.shape.d, point.shape.h, point.T);
  r.bytes_min = block_bytes(point.shape.d, point.shape.h, point.T);
  r.gflops = r.flops / t * 1e-9;
  r.gbps = r.bytes_min / t * 1e-9;
  r.weight_gbps = weight_bytes(point.shape.d, point.shape.h) / t * 1e-9;
  r.pct_peak = 100 * r.gflops / roof.peak_gflops;
  r.pct_bw = 100 * r.gbps / roof.read_gbps;
  r.t_roof = roof_seconds(r.flops, r.bytes_min, roof.peak_gflops, roof.read_gbps);
  r.pct_roof = 100 * r.t_roof / t;
  return r;
}

bool is_cold(double gbps, const Roof& roof) { return gbps <= kColdMargin * roof.read_gbps; }

Json measured_row(const Point& point, const Comparison& comparison, std::size_t arm, bool rotation_enough,
                  std::size_t planned_rounds, RowSummary* summary) {
  const auto by_round = [&](const std::function<double(const Round&)>& value) {
    return over_rounds(comparison, value);
  };
  std::vector<double> medians, minima;
  std::size_t calls = 0;
  long preemptions = 0;
  double seconds = 0;
  for (const Round& round : comparison.rounds) {
    medians.push_back(round.samples[arm].t_median);
    minima.push_back(round.samples[arm].t_min);
    calls += round.samples[arm].calls;
    preemptions += round.samples[arm].preemptions;
    seconds += round.samples[arm].t_median * static_cast<double>(round.samples[arm].calls);
  }
  const double t = median(medians), t_min = quantile(minima, 0);
  const Interval ci = median_interval(medians);
  const Roof roof{by_round([](const Round& r) { return r.roof.peak_gflops; }),
                  by_round([](const Round& r) { return r.roof.read_gbps; }),
                  by_round([](const Round& r) { return r.roof.round_trip_ns; })};
  const Rates middle = rates(point, t, roof);
  const Arm& object = *comparison.arms[arm];
  // Every round against its own roofs: they move within seconds.
  const double pct_roof =
      by_round([&](const Round& r) { return rates(point, r.samples[arm].t_median, r.roof).pct_roof; });
  const double pct_roof_min =
      by_round([&](const Round& r) { return rates(point, r.samples[arm].t_min, r.roof).pct_roof; });

  Json row = row_head(point, object.impl());
  row.set("iterations", calls).set("real_time", t * 1e9).set("cpu_time", t * 1e9).set("time_unit", "ns");
  row.set("status", "OK").set("windows", object.windows()).set("rounds", comparison.rounds.size());
  row.set("flops", middle.flops).set("bytes_min", middle.bytes_min).set("ai", middle.flops / middle.bytes_min);
  row.set("t_min", t_min).set("t_median", t).set("t_roof", middle.t_roof);
  row.set("t_p90", by_round([&](const Round& r) { return r.samples[arm].t_p90; }));
  row.set("ci95_lo", ci.lo).set("ci95_hi", ci.hi);
  row.set("gflops", middle.gflops).set("gbps", middle.gbps).set("weight_gbps", middle.weight_gbps);
  row.set("pct_peak", by_round([&](const Round& r) { return rates(point, r.samples[arm].t_median, r.roof).pct_peak; }));
  row.set("pct_bw", by_round([&](const Round& r) { return rates(point, r.samples[arm].t_median, r.roof).pct_bw; }));
  row.set("pct_roof", pct_roof).set("pct_roof_min", pct_roof_min);
  row.set("tokens_per_s", static_cast<double>(point.T) / t);
  row.set("peak_gflops", roof.peak_gflops).set("read_gbps", roof.read_gbps);
  if (point.threads > 1) row.set("round_trip_ns", roof.round_trip_ns);

  Json flags = Json::array();
  const bool cold = point.cache == Cache::wei && is_cold(middle.gbps, roof);
  if (point.cache == Cache::wei && !cold) flags.push("not_cold");
  if (!rotation_enough) flags.push("uncertified");
  if (comparison.rounds.size() < planned_rounds) flags.push("few_rounds");
  const bool drift = spread(comparison, [](const Round& r) { return r.roof.peak_gflops; }) > 0.05 ||
                     spread(comparison, [](const Round& r) { return r.roof.read_gbps; }) > 0.15;
  if (drift) flags.push("drift");
  const double rate = static_cast<double>(preemptions) / seconds / static_cast<double>(point.threads);
  if (rate > kBusyPreemptions) flags.push("busy_machine");
  row.set("cold_ok", cold ? 1 : 0).set("flags", flags);
  row.set("nivcsw", preemptions).set("max_rel_err", comparison.errors[arm]);
  row.set("create_ms", object.create_seconds() * 1e3).set("packed_bytes", object.packed_bytes());
  row.set("impl_detail", impl_detail(point, object));
  *summary = {t, pct_roof};
  return row;
}

Json pair_row(const Point& point, const Comparison& comparison, std::size_t contender, std::size_t baseline,
              const char* baseline_name) {
  const Ratio ratio = paired_ratio(comparison, contender, baseline);
  const Impl impl = comparison.arms[contender]->impl();
  Json row;
  row.set("name", row_name(point, impl));
  set_shape(row, point);
  row.set("contender", to_string(impl)).set("baseline", baseline_name);
  row.set("baseline_form", to_string(comparison.arms[baseline]->impl()));
  row.set("ratio", ratio.ratio).set("lcb99", ratio.lower).set("ucb99", ratio.upper);
  row.set("ratio_of_medians", ratio.of_medians).set("launches", 1).set("rounds", comparison.rounds.size());
  row.set("trimmed", kTrim).set("sd_ln", ratio.sd_ln).set("verdict", ratio.verdict());
  return row;
}

Json sample_row(const Point& point, const Comparison& comparison, std::size_t round, std::size_t arm, double start) {
  const Round& entry = comparison.rounds[round];
  const Sample& sample = entry.samples[arm];
  const auto place = std::find(entry.order.begin(), entry.order.end(), arm) - entry.order.begin();
  Json row;
  row.set("name", row_name(point, comparison.arms[arm]->impl())).set("round", round).set("order", place);
  row.set("t_min", sample.t_min).set("t_median", sample.t_median).set("n", sample.calls);
  row.set("nivcsw", sample.preemptions).set("t_begin", sample.begin - start).set("peak_gflops", entry.roof.peak_gflops);
  row.set("read_gbps", entry.roof.read_gbps);
  return row;
}

}  // namespace swiglu::bench
