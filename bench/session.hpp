#pragma once

#include <memory>
#include <string>
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

  /// Best peak of that ISA and bandwidth so far, for estimates; calibrate() first, else modest guesses.
  Roof estimate(Isa isa, std::size_t threads) const;

  void add_row(Json row);  ///< a number that is not finite turns the row into INVALID
  void add_pair(Json pair) { pairs_.push(std::move(pair)); }
  void add_sample(Json sample) { samples_.push(std::move(sample)); }
  void add_check(Json check) { checks_.push(std::move(check)); }
  void add_target(Json target) { targets_.push(std::move(target)); }
  void add_anchor(const Roof& roof, Isa isa, std::size_t threads);

  bool has_invalid_rows() const { return invalid_rows_; }

  /// Writes --out, if given. Throws std::runtime_error if that fails.
  void write() const;

 private:
  struct Calibrated {
    Isa isa;
    std::size_t threads;
    Roof roof;
  };

  Options options_;
  double begin_;
  std::vector<int> cpus_;
  MachineLimits limits_;
  ReportedCaches caches_;
  std::size_t llc_bytes_ = 0, knee_ = 0;
  std::unique_ptr<Roofs> roofs_;
  std::vector<Calibrated> calibrated_;
  bool invalid_rows_ = false;
  Json calibration_, anchors_ = Json::array(), measured_ = Json::array(), not_measured_ = Json::array();
  Json rows_ = Json::array(), pairs_ = Json::array(), samples_ = Json::array(), checks_ = Json::array();
  Json targets_ = Json::array();
};

/// Caps oneDNN at the one ISA that is measured (ONEDNN_MAX_CPU_ISA), so that a forced AVX2 meets an AVX2 rival. Must
/// run before anything calls oneDNN. A value that the user has set is left alone.
Isa limit_onednn(const Options& options);

}  // namespace swiglu::bench
