#include "rows.hpp"

#include <algorithm>
#include <functional>

#include "formulas.hpp"
#include "round_up.hpp"
#include "stats.hpp"

namespace swiglu::bench {
namespace {

constexpr double kColdMargin = 1.10;

/// Involuntary switches per second and thread. A quiet machine shows up to 50 (kernel threads), a second process on the
/// same core some 200.
constexpr double kBusyPreemptions = 100;

constexpr std::size_t kLaunchesForInterval = 6;  // a distribution-free 95 % interval of a median needs six values

int matrices(Family family) { return family == Family::ffn ? 3 : 2; }

using OfRound = std::function<double(const Round&)>;

std::vector<double> over_rounds(const PointResult& result, const OfRound& value) {
  std::vector<double> values;
  for (const Launch& launch : result.launches) {
    for (const Round& round : launch.rounds()) values.push_back(value(round));
  }
  return values;
}

/// One value per launch: its median over rounds.
std::vector<double> over_launches(const PointResult& result, const OfRound& value) {
  std::vector<double> values;
  for (const Launch& launch : result.launches) {
    std::vector<double> rounds;
    for (const Round& round : launch.rounds()) rounds.push_back(value(round));
    values.push_back(median(rounds));
  }
  return values;
}

/// Sums over all samples of an arm; −1 = the system does not tell.
Health health_of(const PointResult& result, std::size_t arm, double& seconds, std::size_t& calls) {
  Health sum{0, 0, 0, 0};
  const auto add = [](auto& to, auto value) { to = to < 0 || value < 0 ? -1 : to + value; };
  for (const Launch& launch : result.launches) {
    for (const Round& round : launch.rounds()) {
      const Sample& sample = round.samples[arm];
      add(sum.preemptions, sample.health.preemptions);
      add(sum.steal, sample.health.steal);
      add(sum.psi_us, sample.health.psi_us);
      add(sum.migrations, sample.health.migrations);
      seconds += sample.t_median * static_cast<double>(sample.calls);
      calls += sample.calls;
    }
  }
  return sum;
}

void set_health(Json& row, const Health& health) {
  row.set("nivcsw", health.preemptions);
  if (health.steal >= 0) row.set("steal", health.steal);
  if (health.psi_us >= 0) row.set("psi_us", health.psi_us);
  if (health.migrations >= 0) row.set("migrations", health.migrations);
}

void set_phases(Json& row, const Phases& phases) {
  row.set("t_gate_up", phases.gate_up).set("t_activation", phases.activation).set("t_down", phases.down);
}

void set_point(Json& json, const Point& point, const Shape& shape) {
  json.set("d", shape.d).set("h", shape.h).set("m", shape.m).set("T", point.T);
  json.set("isa", swiglu::to_string(point.isa)).set("dtype", "f32").set("thr", point.threads);
  json.set("cache", to_string(point.cache)).set("model", shape.model).set("set", shape.set);
  if (!shape.activation.empty()) json.set("activation", shape.activation);
}

/// The name and shape fields that every row has, and the fields of Google Benchmark that do not depend on timing.
Json row_head(const Point& point, const Implementation& impl) {
  const std::string name = row_name(point, impl);
  Json row;
  row.set("name", name).set("run_name", name).set("run_type", "iteration");
  row.set("family_index", 0).set("per_family_instance_index", 0).set("repetitions", 1).set("repetition_index", 0);
  row.set("threads", 1);  // Google Benchmark's own threads; ours are "thr"
  set_identity(row, point, impl);
  return row;
}

Json unmeasured_row(const Point& point, const LeftOut& left_out) {
  Json row = row_head(point, *left_out.impl);
  row.set("iterations", 0).set("real_time", 0.0).set("cpu_time", 0.0).set("time_unit", "ns");
  row.set("status", left_out.status).set("skip_reason", left_out.reason);
  row.set("error_occurred", true).set("error_message", left_out.reason);
  return row;
}

Interval interval_of(const PointResult& result, const OfRound& value) {
  if (result.launches.size() == 1) return median_interval(over_rounds(result, value));
  const std::vector<double> values = over_launches(result, value);
  if (values.size() >= kLaunchesForInterval) return median_interval(values);
  return {quantile(values, 0), quantile(values, 1)};
}

Json flags_of(const PointResult& result, const Plan& plan, const Health& health, double seconds, bool rotation_enough,
              bool cold) {
  const auto any = [&](const std::function<bool(const Launch&)>& test) {
    return std::any_of(result.launches.begin(), result.launches.end(), test);
  };
  const double threads = static_cast<double>(result.point.threads);
  Json flags = Json::array();
  if (result.point.cache != Cache::none && !cold) flags.push("not_cold");
  if (!rotation_enough) flags.push("uncertified");
  if (!plan.verified) flags.push("unverified");
  if (any([&](const Launch& launch) { return launch.rounds().size() < plan.rounds; })) flags.push("few_rounds");
  if (result.launches.size() < plan.launches) flags.push("few_launches");
  if (any([](const Launch& launch) { return launch.drift; })) flags.push("drift");
  const auto spinning = [](const Launch& launch) { return launch.attempts[launch.chosen].spinning_threads; };
  if (any(spinning)) flags.push("spinning_threads");
  if (health.steal > 0 && static_cast<double>(health.steal) * 1e-2 > 0.05 * seconds) flags.push("steal");
  if (static_cast<double>(health.preemptions) / seconds / threads > kBusyPreemptions) flags.push("busy_machine");
  return flags;
}

Json measured_row(const PointResult& result, std::size_t arm, const Plan& plan) {
  const Point& point = result.point;
  const Implementation& impl = *result.arms[arm];
  const ArmFacts& facts = result.facts[arm];
  const Shape shape = shape_of(point.shape, impl.family);
  const auto sample = [&](double Sample::* field) {
    return OfRound([arm, field](const Round& round) { return round.samples[arm].*field; });
  };
  const auto roof_median = [&](double Roof::* field) {
    return median(over_rounds(result, [field](const Round& round) { return round.roof.*field; }));
  };
  // Every round against its own roofs: they move within seconds.
  const auto share = [&](double Rates::* field, double Sample::* time) {
    return median(over_rounds(result, [&, field, time](const Round& round) {
      return rates(point, impl.family, round.samples[arm].*time, round.roof).*field;
    }));
  };
  const double t = typical_seconds(result, arm);
  const Interval ci = interval_of(result, sample(&Sample::t_median));
  const Roof roof{roof_median(&Roof::peak_gflops), roof_median(&Roof::read_gbps), roof_median(&Roof::round_trip_ns)};
  const Rates middle = rates(point, impl.family, t, roof);
  double seconds = 0;
  std::size_t calls = 0;
  const Health health = health_of(result, arm, seconds, calls);
  std::size_t rounds = 0, attempts = 1;
  for (const Launch& launch : result.launches) {
    rounds += launch.rounds().size();
    attempts = std::max(attempts, launch.attempts.size());
  }

  Json row = row_head(point, impl);
  row.set("iterations", calls).set("real_time", t * 1e9).set("cpu_time", t * 1e9).set("time_unit", "ns");
  row.set("status", "OK").set("windows", facts.windows);
  row.set("rotation_bytes", static_cast<double>(facts.windows) * weight_bytes(shape.d, shape.h, matrices(impl.family)));
  row.set("launches", result.launches.size()).set("rounds", rounds).set("attempts", attempts);
  row.set("flops", middle.flops).set("bytes_min", middle.bytes_min).set("ai", middle.flops / middle.bytes_min);
  row.set("t_min", quantile(over_rounds(result, sample(&Sample::t_min)), 0)).set("t_median", t);
  row.set("t_p90", std::max(t, median(over_rounds(result, sample(&Sample::t_p90))))).set("t_roof", middle.t_roof);
  row.set("ci95_lo", ci.lo).set("ci95_hi", ci.hi);
  row.set("gflops", middle.gflops).set("gbps", middle.gbps).set("weight_gbps", middle.weight_gbps);
  row.set("pct_peak", share(&Rates::pct_peak, &Sample::t_median));
  row.set("pct_bw", share(&Rates::pct_bw, &Sample::t_median));
  row.set("pct_roof", share(&Rates::pct_roof, &Sample::t_median));
  row.set("pct_roof_min", share(&Rates::pct_roof, &Sample::t_min));
  row.set("tokens_per_s", static_cast<double>(point.T) / t);
  row.set("pad_waste", static_cast<double>(round_up(shape.h, 16)) / static_cast<double>(shape.h) - 1);
  row.set("peak_gflops", roof.peak_gflops).set("read_gbps", roof.read_gbps);
  if (point.threads > 1) row.set("round_trip_ns", roof.round_trip_ns);
  const Attempt& first = result.launches.front().attempts[result.launches.front().chosen];
  const Attempt& last = result.launches.back().attempts[result.launches.back().chosen];
  row.set("peak_before", first.before.peak_gflops).set("peak_after", last.after.peak_gflops);
  row.set("read_before", first.before.read_gbps).set("read_after", last.after.read_gbps);
  const bool cold = point.cache != Cache::none && is_cold(middle.gbps, roof);
  row.set("cold_ok", cold ? 1 : 0);
  row.set("flags", flags_of(result, plan, health, seconds, facts.rotation_enough, cold));
  set_health(row, health);
  row.set("max_rel_err", facts.max_rel_err).set("create_ms", facts.create_ms);
  row.set("create_first_ms", facts.create_first_ms).set("first_call_us", facts.first_call_us);
  row.set("packed_bytes", facts.packed_bytes).set("huge_bytes", facts.huge_bytes).set("impl_detail", facts.detail);
  if (result.launches.front().rounds().front().samples[arm].has_phases) {
    const auto phase = [&](double Phases::* part) {
      return median(over_rounds(result, [arm, part](const Round& r) { return r.samples[arm].phases.*part; }));
    };
    set_phases(row, {phase(&Phases::gate_up), phase(&Phases::activation), phase(&Phases::down)});
  }
  return row;
}

const char* kind_of(Role role) {
  switch (role) {
    case Role::rival:
      return "rival";
    case Role::peer:
      return "peer";
    case Role::fusion:
      return "fusion";
    case Role::ffn2:
      return "ffn2";
    case Role::ours:
      return "ours";
    case Role::reference:
      return "reference";
  }
  return "";
}

Json pair_row(const PointResult& result, std::size_t contender, std::size_t baseline, const char* baseline_name,
              const Plan& plan) {
  const Ratio ratio = paired_ratio(result, contender, baseline, plan.confidence);
  const Implementation& ours = *result.arms[contender];
  std::size_t rounds = 0;
  for (const Launch& launch : result.launches) rounds += launch.rounds().size();
  Json row;
  row.set("name", row_name(result.point, ours));
  set_point(row, result.point, shape_of(result.point.shape, ours.family));
  row.set("contender", ours.name).set("baseline", baseline_name).set("baseline_form", result.arms[baseline]->name);
  row.set("kind", kind_of(result.arms[baseline]->role));
  row.set("ratio", ratio.ratio).set("lcb99", ratio.lower).set("ucb99", ratio.upper).set("confidence", plan.confidence);
  row.set("ratio_of_medians", ratio.of_medians).set("launches", result.launches.size()).set("rounds", rounds);
  row.set("trimmed", kTrim).set("sd_ln", ratio.sd_ln).set("estimator", ratio.estimator);
  if (result.launches.size() > 1) row.set("sd_launch", ratio.sd_launch);
  row.set("verdict", ratio.verdict());
  return row;
}

}  // namespace

void set_identity(Json& row, const Point& point, const Implementation& impl) {
  row.set("family", to_string(impl.family)).set("impl", impl.name);
  set_point(row, point, shape_of(point.shape, impl.family));
}

Rates rates(const Point& point, Family family, double t, const Roof& roof) {
  const Shape shape = shape_of(point.shape, family);
  Rates r{};
  r.flops = block_flops(shape.d, shape.h, point.T, matrices(family));
  r.bytes_min = block_bytes(shape.d, shape.h, point.T, matrices(family));
  r.gflops = r.flops / t * 1e-9;
  r.gbps = r.bytes_min / t * 1e-9;
  r.weight_gbps = weight_bytes(shape.d, shape.h, matrices(family)) / t * 1e-9;
  r.pct_peak = 100 * r.gflops / roof.peak_gflops;
  r.pct_bw = 100 * r.gbps / roof.read_gbps;
  r.t_roof = roof_seconds(r.flops, r.bytes_min, roof.peak_gflops, roof.read_gbps);
  r.pct_roof = 100 * r.t_roof / t;
  return r;
}

bool is_cold(double gbps, const Roof& roof) { return gbps <= kColdMargin * roof.read_gbps; }

double typical_seconds(const PointResult& result, std::size_t arm) {
  return median(over_launches(result, [arm](const Round& round) { return round.samples[arm].t_median; }));
}

std::size_t strongest_onednn(const PointResult& result) {
  std::size_t strongest = result.arms.size();
  for (std::size_t arm = 0; arm < result.arms.size(); ++arm) {
    if (result.arms[arm]->role != Role::rival) continue;
    if (strongest == result.arms.size() || typical_seconds(result, arm) < typical_seconds(result, strongest)) {
      strongest = arm;
    }
  }
  return strongest;
}

std::vector<Json> point_rows(const PointResult& result, const Plan& plan) {
  std::vector<Json> rows;
  for (const Implementation* impl : result.point.impls) {
    const std::size_t arm = result.arm_of(*impl);
    if (result.measured() && arm < result.arms.size()) rows.push_back(measured_row(result, arm, plan));
    for (const LeftOut& entry : result.left_out) {
      if (entry.impl == impl) rows.push_back(unmeasured_row(result.point, entry));
    }
  }
  return rows;
}

std::vector<Json> point_pairs(const PointResult& result, const Plan& plan, const Implementation* contender,
                              const Implementation* baseline) {
  std::vector<Json> pairs;
  const std::size_t none = result.arms.size();
  const std::size_t ours = result.arm_of(contender != nullptr ? *contender : kNative);
  if (!result.measured() || ours == none) return pairs;
  if (baseline != nullptr) {
    const std::size_t theirs = result.arm_of(*baseline);
    if (theirs < none) pairs.push_back(pair_row(result, ours, theirs, baseline->name, plan));
    return pairs;
  }
  for (std::size_t arm = 0; arm < none; ++arm) {
    if (arm != ours) pairs.push_back(pair_row(result, ours, arm, result.arms[arm]->name, plan));
  }
  if (const std::size_t strongest = strongest_onednn(result); strongest < none) {
    pairs.push_back(pair_row(result, ours, strongest, "onednn-strongest", plan));
  }
  return pairs;
}

std::vector<Json> point_samples(const PointResult& result) {
  std::vector<Json> rows;
  for (const Launch& launch : result.launches) {
    for (std::size_t attempt = 0; attempt < launch.attempts.size(); ++attempt) {
      const auto& rounds = launch.attempts[attempt].rounds;
      for (std::size_t r = 0; r < rounds.size(); ++r) {
        for (std::size_t arm = 0; arm < result.arms.size(); ++arm) {
          const Sample& sample = rounds[r].samples[arm];
          const auto& order = rounds[r].order;
          Json row;
          row.set("name", row_name(result.point, *result.arms[arm])).set("launch", launch.index);
          row.set("attempt", attempt + 1)
              .set("round", r)
              .set("order", std::find(order.begin(), order.end(), arm) - order.begin());
          row.set("t_min", sample.t_min).set("t_median", sample.t_median).set("t_p90", sample.t_p90);
          row.set("n", sample.calls).set("t_begin", sample.begin);
          row.set("peak_gflops", rounds[r].roof.peak_gflops).set("read_gbps", rounds[r].roof.read_gbps);
          if (result.point.threads > 1) row.set("round_trip_ns", rounds[r].roof.round_trip_ns);
          if (launch.attempts.size() > 1) row.set("used", attempt == launch.chosen ? 1 : 0);
          set_health(row, sample.health);
          if (sample.has_phases) set_phases(row, sample.phases);
          rows.push_back(std::move(row));
        }
      }
    }
  }
  return rows;
}

}  // namespace swiglu::bench
