// Google Benchmark underneath: families ffn, elementwise and machine. For ratios use `paired`.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "clock.hpp"
#include "commands.hpp"
#include "elementwise.hpp"
#include "google_flags.hpp"
#include "google_reporter.hpp"
#include "own_threads.hpp"
#include "progress.hpp"
#include "rows.hpp"
#include "session.hpp"
#include "stats.hpp"
#include "workbench.hpp"

namespace swiglu::bench {
namespace {

constexpr double kMaxElementwiseError = 1e-5;

class GoogleRun {
 public:
  explicit GoogleRun(const Options& options)
      : session_(options), flags_(take_google_flags(options.google_benchmark)), filter_(options.filter) {
    if (options.mode == Mode::correctness) throw UsageError("--mode C: 'paired' does that");
  }

  int run() {
    const Options& options = session_.options();
    if (options.preset != "report" || !options.models.empty() || !options.d_model.empty()) register_ffn();
    register_elementwise();
    register_machine();
    if (names_.empty()) throw UsageError("no benchmarks: " + left_nothing(options));
    if (options.list() || options.dry_run) {
      for (const auto& name : names_) std::printf("%s\n", name.c_str());
      return kOk;
    }
    std::vector<std::size_t> threads = {1};
    if (session_.limits().max_threads > 1) threads.push_back(session_.limits().max_threads);
    session_.calibrate(session_.limits().isas, threads);

    GoogleReporter reporter([this](const std::string& name, Json row) {
      if (wrong_.count(name) > 0) row.set("status", "WRONG");
      identity_[name](row);
      const std::string& family = row.text("family");
      if (row.text("status") == "OK") {
        measured_.insert(family);
      } else {
        failed_.emplace(family, row.text("skip_reason"));
      }
      session_.add_row(std::move(row));
    });
    const std::size_t matched = benchmark::RunSpecifiedBenchmarks(&reporter);
    session_.write();
    session_.print();
    if (!wrong_.empty()) return kWrong;
    if (interrupted()) return kInterrupted;
    return matched == 0 || lacks_a_family() || session_.has_invalid_rows() ? kCouldNotMeasure : kOk;
  }

 private:
  /// Whether of a whole family nothing could be measured; says so.
  bool lacks_a_family() const {
    bool lacks = false;
    for (const auto& [family, why] : failed_) {
      if (measured_.count(family) > 0) continue;
      std::fprintf(stderr, "swiglu-bench: no row of family %s could be measured; the first one: %s\n", family.c_str(),
                   why.c_str());
      lacks = true;
    }
    return lacks;
  }

  using Body = std::function<void(benchmark::State&)>;

  auto* add(const std::string& name, std::function<void(Json&)> identity, Body body) {
    names_.push_back(name);
    identity_[name] = std::move(identity);
    return benchmark::RegisterBenchmark(name.c_str(), std::move(body))->UseManualTime()->Unit(benchmark::kMicrosecond);
  }

  template <class Entry>
  void apply_min_time(Entry* entry) const {
    if (flags_.iterations > 0) {
      entry->Iterations(static_cast<benchmark::IterationCount>(flags_.iterations));
    } else {
      entry->MinTime(flags_.min_seconds);
    }
  }

  /// Runs `call` as Google Benchmark asks, timing each call ourselves so that touching x and y stays outside.
  template <class Call>
  static std::vector<double> timed(benchmark::State& state, const CallBuffers& buffers, Call call) {
    std::vector<double> times;
    for (auto _ : state) {
      touch(buffers);
      const double begin = now();
      call();
      const double elapsed = now() - begin;
      state.SetIterationTime(elapsed);
      times.push_back(elapsed);
      if (interrupted()) {
        state.SkipWithError("interrupted");
        break;
      }
    }
    return times;
  }

  /// Returns the mean, which is also Google Benchmark's real_time: counters and time then agree.
  static double set_times(benchmark::State& state, const std::vector<double>& times) {
    double sum = 0;
    for (const double t : times) sum += t;
    state.counters["t_min"] = quantile(times, 0);
    state.counters["t_median"] = median(times);
    return sum / static_cast<double>(times.size());
  }

  void register_ffn() {
    std::vector<Point> points = build_points(session_.options(), session_.limits());
    for (const Point& point : points) session_.cpus_for(point.threads);
    std::vector<bool> done(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {  // points that share objects follow each other
      for (std::size_t j = i; j < points.size(); ++j) {
        if (done[j] || !Workbench::shares(points[i], points[j])) continue;
        done[j] = true;
        for (const Implementation* impl : points[j].impls) {
          const Point point = points[j];
          if (!flags_.wants(row_name(point, *impl))) continue;
          apply_min_time(add(
              row_name(point, *impl), [point, impl](Json& row) { set_identity(row, point, *impl); },
              [this, point, impl](benchmark::State& state) { run_ffn(state, point, *impl); }));
        }
      }
    }
  }

  void run_ffn(benchmark::State& state, const Point& point, const Implementation& impl) {
    if (!bench_ || !Workbench::shares(bench_point_, point)) {
      bench_.reset();
      bench_ = std::make_unique<Workbench>(session_, point, point.impls);
      bench_point_ = point;
      verified_.clear();
    }
    if (const auto reason = bench_->unavailable().find(&impl); reason != bench_->unavailable().end()) {
      state.SkipWithError(reason->second.c_str());
      return;
    }
    if (const std::string reason = bench_->too_large(point.T); !reason.empty()) {
      state.SkipWithError(reason.c_str());
      return;
    }
    Arm& arm = *bench_->find(impl);
    const std::string name = row_name(point, impl);
    try {
      if (session_.options().mode == Mode::performance) {
        bench_->prepare(arm, point.T);
      } else if (verified_.insert(name).second) {
        bench_->verify(arm, point.T);
      }
    } catch (const WrongResult& error) {
      wrong_.insert(name);
      state.SkipWithError(error.what());
      return;
    }
    if (!let_workers_sleep(point.threads)) state.SetLabel("spinning_threads");
    const CallBuffers buffers = bench_->buffers(point.T);
    const Roof roof = session_.roofs().beside_block(point.isa, point.threads);
    session_.add_anchor(roof, point.isa, point.threads);
    for (int i = 0; i < 3; ++i) arm.forward(buffers, point.T);
    const auto times = timed(state, buffers, [&] { arm.forward(buffers, point.T); });
    if (interrupted()) return;
    const Rates r = rates(point, impl.family, set_times(state, times), roof);
    const bool cold = point.cache != Cache::none && is_cold(r.gbps, roof);
    const std::pair<const char*, double> counters[] = {
        {"flops", r.flops},       {"bytes_min", r.bytes_min}, {"gflops", r.gflops},
        {"gbps", r.gbps},         {"pct_peak", r.pct_peak},   {"pct_bw", r.pct_bw},
        {"pct_roof", r.pct_roof}, {"cold_ok", cold ? 1 : 0},  {"windows", static_cast<double>(arm.windows())}};
    for (const auto& [key, value] : counters) state.counters[key] = value;
  }

  bool wanted(const std::string& name) const { return std::regex_search(name, filter_) && flags_.wants(name); }

  std::vector<Isa> isas() const { return asked_isas(session_.options(), session_.limits()); }

  void register_elementwise() {
    for (const auto& entry : elementwise_cases(isas(), session_.llc_bytes())) {
      if (!wanted(entry.name())) continue;
      const auto identity = [entry](Json& row) {
        row.set("family", "elementwise").set("op", entry.mul ? "silu_mul" : "silu").set("n", entry.n);
        row.set("isa", swiglu::to_string(entry.isa)).set("dtype", "f32").set("thr", 1).set("level", entry.level);
        row.set("bytes_min", entry.bytes());
      };
      apply_min_time(
          add(entry.name(), identity, [this, entry](benchmark::State& state) { run_elementwise(state, entry); }));
    }
  }

  void run_elementwise(benchmark::State& state, const ElementwiseCase& entry) {
    session_.pin(1);
    ElementwiseArrays arrays(entry);
    arrays.call();
    if (const double error = arrays.error(); !(error <= kMaxElementwiseError)) {
      wrong_.insert(entry.name());
      state.SkipWithError(("relative error " + std::to_string(error)).c_str());
      return;
    }
    const double read_write = session_.roofs().read_write_gbps(entry.mul ? 2 : 1, entry.n, 5e-3);
    const auto times = timed(state, CallBuffers{}, [&] { arrays.call(); });
    if (interrupted()) return;
    const double gbps = entry.bytes() / set_times(state, times) * 1e-9;
    state.counters["gbps"] = gbps;
    state.counters["rw_gbps"] = read_write;
    state.counters["pct_rw"] = 100 * gbps / read_write;
  }

  void register_machine() {
    std::vector<std::size_t> counts = {1};
    if (session_.limits().max_threads > 1) counts.push_back(session_.limits().max_threads);
    for (const std::size_t n : counts) {
      for (const Isa isa : isas()) {
        add_probe(std::string("machine/peak/isa:") + swiglu::to_string(isa) + "/thr:" + std::to_string(n), "gflops", n,
                  [this, isa, n](double seconds) { return session_.roofs().peak_gflops(isa, n, seconds); });
      }
      add_probe("machine/read/thr:" + std::to_string(n), "gbps", n,
                [this, n](double seconds) { return session_.roofs().read_gbps(n, seconds); });
    }
  }

  void add_probe(const std::string& name, const char* counter, std::size_t threads,
                 const std::function<double(double)>& probe) {
    if (!wanted(name)) return;
    const auto identity = [threads](Json& row) { row.set("family", "machine").set("thr", threads); };
    const auto body = [counter, probe](benchmark::State& state) {
      constexpr double kSeconds = 20e-3;
      std::vector<double> values;
      for (auto _ : state) {
        values.push_back(probe(kSeconds));
        state.SetIterationTime(kSeconds);
      }
      state.counters[counter] = median(values);
    };
    add(name, identity, body)->Iterations(5);
  }

  Session session_;
  GoogleFlags flags_;
  std::regex filter_;
  std::vector<std::string> names_;
  std::map<std::string, std::function<void(Json&)>> identity_;
  std::unique_ptr<Workbench> bench_;  // of the group that is being measured
  Point bench_point_;
  std::set<std::string> verified_, wrong_;
  std::set<std::string> measured_;             // families with a row that is OK
  std::map<std::string, std::string> failed_;  // families with one that is not, and why the first of them is not
};

}  // namespace

int command_run(const Options& options) { return GoogleRun(options).run(); }

}  // namespace swiglu::bench
