#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "caches.hpp"
#include "json.hpp"
#include "options.hpp"
#include "roofs.hpp"
#include "sweep.hpp"

namespace swiglu::bench {

/// What every measuring command needs: the machine, its roofs, and the results file that grows.
class Session {
 public:
  /// Throws UsageError for an --out that cannot be written, CPUs that may not be used, a --prio that is refused.
  explicit Session(const Options& options);

  const Options& options() const { return options_; }
  const MachineLimits& limits() const { return limits_; }
  std::size_t llc_bytes() const { return llc_bytes_; }
  double begin() const { return begin_; }
  double seconds() const;  ///< since the start

  /// CPUs for n threads. Throws UsageError if there are not that many.
  std::vector<int> cpus_for(std::size_t threads) const;

  /// Restricts the calling thread, and so the threads that are created from here on, to the CPUs for n threads.
  void pin(std::size_t threads) const;

  Roofs& roofs();  ///< the arena is filled at the first use

  /// Peaks of `isas`, bandwidths and round trip at each thread count, and the bandwidth curve, into the results. If the
  /// curve shows a larger cache than was reported, llc_bytes() becomes that.
  void calibrate(const std::vector<Isa>& isas, const std::vector<std::size_t>& threads);

  /// Takes machine and calibration from the results of another process of the same run; anchors are added to ours.
  void adopt_calibration(const Json& document);

  /// Best peak of that ISA and bandwidth so far, for estimates; calibrate() first, else modest guesses.
  Roof estimate(Isa isa, std::size_t threads) const;

  void add_row(Json row);  ///< a number that is not finite turns the row into INVALID
  void add_pair(Json pair) { pairs_.push(std::move(pair)); }
  void add_sample(Json sample) { samples_.push(std::move(sample)); }
  void add_check(Json check) { checks_.push(std::move(check)); }
  void add_target(Json target) { targets_.push(std::move(target)); }
  void add_anchor(const Roof& roof, Isa isa, std::size_t threads);
  void set_context(const std::string& key, Json value) { context_.set(key, std::move(value)); }

  /// Rows, pairs and samples away: they are about to be added anew.
  void clear_results();

  /// Whether a block with these roofs saw another machine than the blocks before it: a peak more than 3 % from the
  /// run's median, or, with one thread, a bandwidth more than 10 %. (A third of all blocks is beyond 3 % of bandwidth
  /// on a shared host, and two threads have two states there.)
  bool drifted(const Roof& roof, Isa isa, std::size_t threads) const;

  bool has_invalid_rows() const { return invalid_rows_; }

  /// Everything so far.
  Json document() const;

  /// Writes --out, if given: whole or not at all. Throws std::runtime_error if that fails.
  void write() const;

  /// What --format asks for, to stdout.
  void print() const;

 private:
  struct Calibrated {
    Isa isa;
    std::size_t threads;
    Roof roof;
  };
  void find_cache(const std::vector<CurvePoint>& curve);

  Options options_;
  double begin_;
  std::vector<int> cpus_;
  MachineLimits limits_;
  std::string tuning_;
  ReportedCaches caches_;
  std::size_t llc_bytes_ = 0, knee_ = 0;
  std::string llc_source_;
  std::unique_ptr<Roofs> roofs_;
  std::vector<Calibrated> calibrated_;
  std::map<std::pair<std::string, std::size_t>, std::vector<double>> anchor_values_;  // by probe and threads
  bool invalid_rows_ = false;
  Json context_, machine_, calibration_;
  Json anchors_ = Json::array(), measured_ = Json::array(), not_measured_ = Json::array();
  Json rows_ = Json::array(), pairs_ = Json::array(), samples_ = Json::array(), checks_ = Json::array();
  Json targets_ = Json::array();
};

/// Caps oneDNN at the one ISA that is measured (ONEDNN_MAX_CPU_ISA), so that a forced AVX2 meets an AVX2 rival. Must
/// run before anything calls oneDNN. A value that the user has set is left alone.
Isa limit_onednn(const Options& options);

}  // namespace swiglu::bench
