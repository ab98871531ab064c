#include "session.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <stdexcept>

#include "clock.hpp"
#include "cpus.hpp"
#include "dispatch/tuning.hpp"
#include "formatted.hpp"
#include "machine_facts.hpp"
#include "progress.hpp"
#include "results_file.hpp"
#include "stats.hpp"
#include "swiglu/executor.h"
#include "swiglu/feed_forward.h"

namespace swiglu::bench {
namespace {

struct Spread {
  double middle, best;
};
template <class Probe>
Spread three_times(Probe probe) {
  const std::vector<double> values = {probe(), probe(), probe()};
  return {median(values), quantile(values, 1)};
}

/// What is taken of the free memory must be at most 1/`share` of it.
void check_memory(const char* option, std::size_t bytes, std::size_t share) {
  if (const std::size_t free = available_memory(); bytes > free / share) {
    throw UsageError(formatted("%s: %zu bytes are too many, the most is 1/%zu of the %zu bytes of free memory", option,
                               bytes, share, free));
  }
}

/// What --isa names, if it is one, here or in all lines of --batch; else "auto".
std::string one_isa(const Options& options) {
  std::set<std::string> names(options.isas.begin(), options.isas.end());
  for (const Options& line : options.batch) {
    names.insert(line.isas.begin(), line.isas.end());
    if (line.isas.empty()) names.insert("auto");
  }
  return names.size() == 1 ? *names.begin() : "auto";
}

}  // namespace

Isa limit_onednn(const Options& options) {
  const std::string name = one_isa(options);
  const Isa isa = name == "auto" ? resolve_isa() : parse_isa(name);
  const char* cap = isa == Isa::avx2 ? "AVX2" : isa == Isa::portable ? "SSE41" : nullptr;
  if (cap != nullptr) setenv("ONEDNN_MAX_CPU_ISA", cap, 0);
  return isa;
}

Session::Session(const Options& options)
    : options_(options), begin_(now()), cpus_(options.cpus.empty() ? usable_cpus() : options.cpus) {
  if (!options.out.empty()) check_writable(options.out == options.resume ? "--resume" : "--out", options.out);
  const std::vector<int> usable = usable_cpus();
  for (const int cpu : cpus_) {
    if (std::find(usable.begin(), usable.end(), cpu) == usable.end()) {
      throw UsageError("--cpus: this process may not run on CPU " + std::to_string(cpu));
    }
  }
  check_memory("--arena-bytes", options.arena_bytes, 2);
  check_memory("--llc-bytes", options.llc_bytes, 8);  // what is measured takes four of it
  limits_.isas = measurable_isas();
  limits_.own_isa = limit_onednn(options);
  tuning_ = swiglu::to_string(choose_tuning().caches);  // a wrong SWIGLU_TUNING: before anything is measured
  limits_.max_threads = std::max<std::size_t>(1, std::min(physical_cores(cpus_), default_thread_count()));
  caches_ = reported_caches();
  llc_bytes_ = options.llc_bytes > 0 ? options.llc_bytes : caches_.usable();
  llc_source_ = options.llc_bytes > 0 ? "--llc-bytes" : caches_.usable_source();
  // Before anything is allocated that is measured. Not an error where the kernel has no huge pages: machine.thp says
  // so.
  prctl(PR_SET_THP_DISABLE, options.huge_pages ? 0 : 1, 0, 0, 0);
  if (options.priority && setpriority(PRIO_PROCESS, 0, *options.priority) != 0) {
    throw UsageError("--prio: the system refuses nice " + std::to_string(*options.priority));
  }
}

double Session::seconds() const { return now() - begin_; }

std::vector<int> Session::cpus_for(std::size_t threads) const {
  if (threads > cpus_.size()) {
    throw UsageError("--threads: " + std::to_string(threads) + " threads asked for, but only " +
                     std::to_string(cpus_.size()) + " CPUs may be used");
  }
  return {cpus_.begin(), cpus_.begin() + static_cast<std::ptrdiff_t>(threads)};
}

void Session::pin(std::size_t threads) const {
  const auto cpus = cpus_for(threads);
  if (options_.pin && !set_affinity(cpus)) throw std::runtime_error("cannot set the CPU affinity");
}

Roofs& Session::roofs() {
  if (!roofs_) {
    const std::size_t limit = available_memory() / 8;
    const std::size_t wanted = std::max(std::size_t{512} << 20, 4 * cpus_.size() * llc_bytes_);
    roofs_ = std::make_unique<Roofs>(cpus_, options_.arena_bytes > 0 ? options_.arena_bytes : std::min(wanted, limit));
  }
  return *roofs_;
}

void Session::calibrate(const std::vector<Isa>& isas, const std::vector<std::size_t>& threads) {
  std::fprintf(stderr, "calibrating\n");
  Roofs& probes = roofs();
  if (!probes.arena().is_written()) throw std::runtime_error("the bandwidth arena is not written: no valid roof");
  const double clock = three_times([&] { return probes.clock_ghz(5e-3); }).middle;
  Json peaks = Json::array(), reads = Json::array(), trips = Json::array(), curve = Json::array();
  for (const std::size_t n : threads) {
    cpus_for(n);
    const Spread read = three_times([&] { return probes.read_gbps(n, 60e-3); });
    reads.push(Json().set("threads", n).set("median", read.middle).set("max", read.best));
    std::fprintf(stderr, "  read bandwidth, %s: %.1f GB/s\n", counted(n, "thread").c_str(), read.middle);
    for (const Isa isa : isas) {
      const Spread peak = three_times([&] { return probes.peak_gflops(isa, n, 5e-3); });
      peaks.push(Json()
                     .set("isa", swiglu::to_string(isa))
                     .set("threads", n)
                     .set("median", peak.middle)
                     .set("max", peak.best)
                     .set("flops_per_cycle", peak.middle / clock / static_cast<double>(n)));
      std::fprintf(stderr, "  peak, %s, %s: %.1f GFLOP/s\n", swiglu::to_string(isa), counted(n, "thread").c_str(),
                   peak.middle);
      calibrated_.push_back({isa, n, {peak.best, read.best, 0}});
    }
  }
  if (cpus_.size() > 1) {
    const Spread trip = three_times([&] { return probes.round_trip_ns(5e-3); });
    trips.push(Json().set("a", cpus_[0]).set("b", cpus_[1]).set("median", trip.middle));
    std::fprintf(stderr, "  core-to-core round trip, CPUs %d and %d: %.0f ns\n", cpus_[0], cpus_[1], trip.middle);
  }
  const auto points = bandwidth_curve(probes);
  for (const auto& point : points) curve.push(Json::array().push(point.bytes).push(point.gbps));
  find_cache(points);
  for (const Isa isa : isas) measured_.push(swiglu::to_string(isa));
  for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512, Isa::neon}) {
    const auto compiled = compiled_isas();
    const bool built = std::find(compiled.begin(), compiled.end(), isa) != compiled.end();
    const bool runs = std::find(limits_.isas.begin(), limits_.isas.end(), isa) != limits_.isas.end();
    if (std::find(isas.begin(), isas.end(), isa) != isas.end()) continue;
    not_measured_.push(Json()
                           .set("isa", swiglu::to_string(isa))
                           .set("reason", !built  ? "not in this build"
                                          : !runs ? "this machine lacks it"
                                                  : "not asked for"));
  }
  calibration_.set("clock_ghz", clock)
      .set("peak_gflops", peaks)
      .set("read_gbps", reads)
      .set("round_trip_ns", trips)
      .set("bw_curve", curve);
}

void Session::find_cache(const std::vector<CurvePoint>& curve) {
  knee_ = cache_knee(curve);
  if (options_.llc_bytes > 0 || knee_ <= llc_bytes_) return;
  std::fprintf(stderr, "  the bandwidth curve shows a larger cache (%zu MiB) than reported (%zu MiB): using that\n",
               knee_ >> 20, llc_bytes_ >> 20);
  llc_bytes_ = knee_;
  llc_source_ = "bandwidth curve";
}

void Session::adopt_calibration(const Json& document) {
  if (machine_.size() == 0) {
    machine_ = document.at("machine");
    const Json& from = document.at("calibration");
    for (const auto& [key, value] : from.fields()) {
      if (key != "anchors") calibration_.set(key, value);
    }
  }
  for (const Json& anchor : document.at("calibration").at("anchors").elements()) anchors_.push(anchor);
}

Roof Session::estimate(Isa isa, std::size_t threads) const {
  const auto best = [&](const std::string& probe, double value) {
    const auto known = anchor_values_.find({probe, threads});
    return known == anchor_values_.end() ? value : std::max(value, quantile(known->second, 1));
  };
  for (const auto& entry : calibrated_) {
    if (entry.isa != isa || entry.threads != threads) continue;
    return {best(std::string("peak_") + swiglu::to_string(isa), entry.roof.peak_gflops),
            best("read", entry.roof.read_gbps), 0};
  }
  const double n = static_cast<double>(threads);
  return {(isa == Isa::avx512 ? 100 : isa == Isa::avx2 ? 50 : 15) * n, 15 * n, 0};
}

void Session::add_row(Json row) {
  if (!row.first_non_finite().empty()) {
    invalid_rows_ = true;
    row.set("status", "INVALID").set("skip_reason", row.first_non_finite() + " is not a finite number");
  }
  rows_.push(std::move(row));
}

void Session::clear_results() {
  rows_ = pairs_ = samples_ = Json::array();
  invalid_rows_ = false;
}

void Session::add_anchor(const Roof& roof, Isa isa, std::size_t threads) {
  const auto anchor = [&](const std::string& probe, double value) {
    anchors_.push(Json()
                      .set("t", seconds())
                      .set("probe", probe)
                      .set("threads", threads)
                      .set("value", value)
                      .set("launch", options_.launch.value_or(0)));
    anchor_values_[{probe, threads}].push_back(value);
  };
  anchor(std::string("peak_") + swiglu::to_string(isa), roof.peak_gflops);
  anchor("read", roof.read_gbps);
  if (roof.round_trip_ns > 0) anchor("round_trip", roof.round_trip_ns);
}

bool Session::drifted(const Roof& roof, Isa isa, std::size_t threads) const {
  const auto beyond = [&](const std::string& probe, double value, double margin) {
    const auto known = anchor_values_.find({probe, threads});
    return known != anchor_values_.end() && std::fabs(value / median(known->second) - 1) > margin;
  };
  return beyond(std::string("peak_") + swiglu::to_string(isa), roof.peak_gflops, 0.03) ||
         (threads == 1 && beyond("read", roof.read_gbps, 0.10));
}

Json Session::document() const {
  Json context = build_context();
  context.set("tuning", tuning_).set("executable", options_.arguments.front());
  context.set("command", options_.command).set("preset", options_.preset).set("seed", options_.seed);
  context.set("argv", options_.argv()).set("interrupted", interrupted()).set("wall_seconds", seconds());
  for (const auto& [key, value] : context_.fields()) context.set(key, value);
  for (const auto& [key, value] : options_.context) context.set(key, value);
  Json machine = machine_;
  if (machine.size() == 0) {
    machine = machine_facts(caches_, cpus_);
    machine.set("llc_used", llc_bytes_)
        .set("llc_source", llc_source_)
        .set("page_mode", options_.huge_pages ? "thp" : "4k");
    machine.set("isa_measured", measured_).set("isa_not_measured", not_measured_);
    if (knee_ > 0) machine.set("llc_knee_measured", knee_);
  }
  Json calibration = calibration_;
  calibration.set("anchors", anchors_);
  Json all;
  all.set("context", context).set("machine", machine).set("calibration", calibration);
  all.set("benchmarks", rows_).set("pairs", pairs_).set("samples", samples_).set("checks", checks_);
  if (targets_.size() > 0) all.set("targets", targets_);
  return all;
}

void Session::write() const {
  if (!options_.out.empty()) write_whole(options_.out, document_text(document(), options_.out_format));
}

void Session::print() const {
  if (options_.format != Format::console) std::fputs(document_text(document(), options_.format).c_str(), stdout);
}

}  // namespace swiglu::bench
