#include "targets/targets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "own_threads.hpp"

namespace swiglu::bench {
namespace {

std::string target_text(const char* relation, double limit, const std::string& unit) {
  return formatted("%s %g%s%s", relation, limit, unit == "x" ? "" : " ", unit == "x" ? "×" : unit.c_str());
}

std::string value_text(const TargetRow& row) {
  if (row.verdict == Verdict::not_measured) return "";
  if (row.unit == "x") return formatted("%.2f×", row.value);
  return formatted(std::fabs(row.value) < 10 ? "%.2f %s" : "%.1f %s", row.value, row.unit.c_str());
}

/// Bytes are not columns: "×" and "≥" are several bytes wide.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}
std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width > columns(text) ? width - columns(text) : 0, ' ');
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::met:
      return "met";
    case Verdict::missed:
      return "missed";
    case Verdict::not_measured:
      return "not measured";
    case Verdict::shown:
      return "";
  }
  return "";
}

TargetRun::TargetRun(Session& session) : session_(session), random_(session.options().seed) {
  const Options& options = session.options();
  if (options.isas.size() > 1) throw UsageError("--isa: targets measures one ISA per run");
  isa_ = options.isas.empty() ? resolve_isa() : asked_isas(options, session.limits()).front();
  threads_ = resolve_threads(options.threads, session.limits().max_threads);
  if (threads_.empty()) {
    threads_ = {1};
    if (session.limits().max_threads > 1) threads_.push_back(2);
  }
  for (const std::size_t n : threads_) static_cast<void>(session.cpus_for(n));
}

std::size_t TargetRun::most_threads() const { return *std::max_element(threads_.begin(), threads_.end()); }

std::string TargetRun::suffix(std::size_t threads) const {
  return std::string(", ") + swiglu::to_string(isa_) + ", " + counted(threads, "thread");
}

void TargetRun::begin(const std::string& group) {
  group_ = group;
  spinning_threads_ = false;
  let_workers_sleep(most_threads());  // of the group before
}

void TargetRun::let_workers_sleep(std::size_t threads) {
  if (!swiglu::bench::let_workers_sleep(threads)) spinning_threads_ = true;
}

void TargetRun::add(TargetRow row) {
  row.group = group_;
  if (spinning_threads_) row.detail = "DISTURBED by spinning threads of this process; " + row.detail;
  if (row.verdict != Verdict::not_measured && !std::isfinite(row.value)) {
    row.verdict = Verdict::not_measured;
    row.detail = "the value is not a finite number; " + row.detail;
    row.value = 0;
  }
  std::fprintf(stderr, "  %s: %s %s\n", row.name.c_str(), value_text(row).c_str(), to_string(row.verdict));
  Json json;
  json.set("group", row.group).set("name", row.name).set("unit", row.unit).set("target", row.target);
  if (row.verdict != Verdict::not_measured) json.set("value", row.value);
  json.set("verdict", row.verdict == Verdict::shown ? "none" : to_string(row.verdict)).set("detail", row.detail);
  session_.add_target(std::move(json));
  rows_.push_back(std::move(row));
}

void TargetRun::at_least(const std::string& name, double value, const char* unit, double limit,
                         const std::string& detail) {
  const Verdict verdict = value >= limit ? Verdict::met : Verdict::missed;
  add({"", name, value, unit, target_text("≥", limit, unit), verdict, detail});
}

void TargetRun::at_most(const std::string& name, double value, const char* unit, double limit,
                        const std::string& detail) {
  const Verdict verdict = value <= limit ? Verdict::met : Verdict::missed;
  add({"", name, value, unit, target_text("≤", limit, unit), verdict, detail});
}

void TargetRun::show(const std::string& name, double value, const char* unit, const std::string& detail) {
  add({"", name, value, unit, "", Verdict::shown, detail});
}

void TargetRun::not_measured(const std::string& name, const std::string& reason) {
  add({"", name, 0, "", "", Verdict::not_measured, reason});
}

const std::vector<Measurement>& measurements() {
  static const std::vector<Measurement> all = {
      {"roofline", "share of the roofline and ratio to oneDNN, d_model 576..4096 x T 1..1024", measure_roofline},
      {"cliffs", "time(T+1)/time(T) against the roofline's own step, T = 1..40", measure_cliffs},
      {"alignment", "time per hidden unit of any d_ff against a multiple of 256", measure_alignment},
      {"threads", "what further threads gain", measure_threads},
      {"neighbour", "a spinning process on one of the cores", measure_neighbour},
      {"overhead", "a call with next to no work", measure_overhead},
      {"first-call", "the first call of an object against the later ones", measure_first_call},
      {"creation", "packing against oneDNN's reorder and a memcpy", measure_creation},
      {"elementwise", "silu and silu_mul against read + write bandwidth", measure_elementwise},
      {"memory", "packed weights, workspace", measure_memory},
      {"idle", "CPU time after the last call", measure_idle},
  };
  return all;
}

std::string text_table(const std::vector<TargetRow>& rows) {
  std::size_t name = 0, value = 0, target = 0;
  for (const TargetRow& row : rows) {
    name = std::max(name, columns(row.name));
    value = std::max(value, columns(value_text(row)));
    target = std::max(target, columns(row.target));
  }
  std::string text;
  for (const TargetRow& row : rows) {
    text += padded(row.name, name) + "  " + padded(value_text(row), value) + "  " + padded(row.target, target) + "  " +
            padded(to_string(row.verdict), 12) + "  " + row.detail + "\n";
  }
  return text;
}

std::string markdown_table(const std::vector<TargetRow>& rows) {
  std::string text = "| what | measured | target | | |\n|---|---|---|---|---|\n";
  for (const TargetRow& row : rows) {
    text += "| " + row.name + " | " + value_text(row) + " | " + row.target + " | " + to_string(row.verdict) + " | " +
            row.detail + " |\n";
  }
  return text;
}

}  // namespace swiglu::bench
