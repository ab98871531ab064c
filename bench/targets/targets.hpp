#pragma once

// The numbers that the library promises itself (README.md, "Targets"), measured on this machine. One file per
// measurement; measurements() lists them.

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "formatted.hpp"
#include "json.hpp"
#include "session.hpp"

namespace swiglu::bench {

enum class Verdict {
  met,
  missed,
  not_measured,  ///< detail says why
  shown,         ///< no target: a number beside one that has
};
const char* to_string(Verdict verdict);

struct TargetRow {
  std::string group;  ///< name of the measurement
  std::string name;
  double value = 0;
  std::string unit;    ///< "%", "x" (a ratio), "us", "ms"
  std::string target;  ///< "≥ 95", or empty
  Verdict verdict = Verdict::shown;
  std::string detail;
};

/// What measurements need, and where their rows go.
class TargetRun {
 public:
  /// Throws UsageError: one ISA per run, since oneDNN takes one per process.
  explicit TargetRun(Session& session);

  Session& session() { return session_; }
  std::mt19937_64& random() { return random_; }
  bool quick() const { return session_.options().quick; }
  Isa isa() const { return isa_; }
  const std::vector<std::size_t>& threads() const { return threads_; }  ///< --threads, else 1 and 2
  std::size_t most_threads() const;                                     ///< the largest of them
  bool has_rival() const { return kOnednnWide.missing().empty(); }

  /// " avx512, 2 threads": ends the names of rows.
  std::string suffix(std::size_t threads) const;

  void begin(const std::string& group);

  /// own_threads.hpp; if some still run, every row of the group says so from then on.
  void let_workers_sleep(std::size_t threads);
  void add_spinning_threads() { spinning_threads_ = true; }

  void at_least(const std::string& name, double value, const char* unit, double limit, const std::string& detail);
  void at_most(const std::string& name, double value, const char* unit, double limit, const std::string& detail);
  void show(const std::string& name, double value, const char* unit, const std::string& detail);
  void not_measured(const std::string& name, const std::string& reason);

  const std::vector<TargetRow>& rows() const { return rows_; }

 private:
  void add(TargetRow row);

  Session& session_;
  std::mt19937_64 random_;
  Isa isa_;
  std::vector<std::size_t> threads_;
  std::string group_;
  bool spinning_threads_ = false;
  std::vector<TargetRow> rows_;
};

struct Measurement {
  const char* name;
  const char* help;
  void (*run)(TargetRun&);
};
const std::vector<Measurement>& measurements();

void measure_roofline(TargetRun& run);
void measure_cliffs(TargetRun& run);
void measure_alignment(TargetRun& run);
void measure_threads(TargetRun& run);
void measure_neighbour(TargetRun& run);
void measure_overhead(TargetRun& run);
void measure_first_call(TargetRun& run);
void measure_creation(TargetRun& run);
void measure_elementwise(TargetRun& run);
void measure_memory(TargetRun& run);
void measure_idle(TargetRun& run);

/// The rows as text for a terminal, or as a Markdown table.
std::string text_table(const std::vector<TargetRow>& rows);
std::string markdown_table(const std::vector<TargetRow>& rows);

}  // namespace swiglu::bench
