#include "results_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "rows.hpp"

namespace swiglu::bench {
namespace {

std::size_t size_at(const Json& row, const std::string& key) { return static_cast<std::size_t>(row.number(key)); }

bool has_flag(const Json& row, const std::string& flag) {
  const auto& flags = row.at("flags").elements();
  return std::any_of(flags.begin(), flags.end(), [&](const Json& entry) { return entry.plain() == flag; });
}

ArmFacts facts_of(const Json& row) {
  ArmFacts facts;
  facts.windows = size_at(row, "windows");
  facts.rotation_enough = !has_flag(row, "uncertified");
  facts.packed_bytes = size_at(row, "packed_bytes");
  facts.huge_bytes = size_at(row, "huge_bytes");
  facts.create_ms = row.number("create_ms");
  facts.create_first_ms = row.number("create_first_ms");
  facts.first_call_us = row.number("first_call_us");
  facts.max_rel_err = row.number("max_rel_err");
  facts.detail = row.text("impl_detail");
  return facts;
}

Sample sample_of(const Json& row) {
  Sample sample;
  sample.begin = row.number("t_begin");
  sample.t_min = row.number("t_min");
  sample.t_median = row.number("t_median");
  sample.t_p90 = row.number("t_p90");
  sample.calls = size_at(row, "n");
  sample.health = {static_cast<long>(row.number("nivcsw")), static_cast<long>(row.number_or("steal", -1)),
                   row.number_or("psi_us", -1), static_cast<long>(row.number_or("migrations", -1))};
  sample.has_phases = row.find("t_gate_up") != nullptr;
  if (sample.has_phases) {
    sample.phases = {row.number("t_gate_up"), row.number("t_activation"), row.number("t_down")};
  }
  return sample;
}

Launch& launch_of(PointResult& result, std::size_t index) {
  for (Launch& launch : result.launches) {
    if (launch.index == index) return launch;
  }
  result.launches.emplace_back().index = index;
  return result.launches.back();
}

void add_sample(PointResult& result, std::size_t arm, const Json& row) {
  Launch& launch = launch_of(result, size_at(row, "launch"));
  const std::size_t attempt = size_at(row, "attempt") - 1, index = size_at(row, "round"), order = size_at(row, "order");
  if (attempt > 1 || index > 100000 || order >= result.arms.size()) throw std::runtime_error("a sample out of range");
  if (launch.attempts.size() <= attempt) launch.attempts.resize(attempt + 1);
  auto& rounds = launch.attempts[attempt].rounds;
  if (rounds.size() <= index) rounds.resize(index + 1);
  Round& round = rounds[index];
  round.samples.resize(result.arms.size());
  round.order.resize(result.arms.size());
  round.samples[arm] = sample_of(row);
  round.order[order] = arm;
  round.roof = {row.number("peak_gflops"), row.number("read_gbps"), row.number_or("round_trip_ns", 0)};
  if (row.number_or("used", 0) == 1) launch.chosen = attempt;
}

void check_launches(const PointResult& result, const std::string& name) {
  for (const Launch& launch : result.launches) {
    for (const Attempt& attempt : launch.attempts) {
      for (const Round& round : attempt.rounds) {
        for (const Sample& sample : round.samples) {
          if (round.samples.size() != result.arms.size() || !(sample.t_min > 0)) {
            throw std::runtime_error(name + ": samples are missing");
          }
        }
      }
    }
  }
  if (result.launches.empty() && !result.arms.empty()) {
    throw std::runtime_error(name + ": no samples (written with --no-samples?)");
  }
}

// The columns of a table for people; of those that there are.
const std::vector<std::string> kRowColumns = {"name",     "status",  "t_median", "gflops",     "gbps",
                                              "pct_roof", "cold_ok", "flags",    "skip_reason"};
const std::vector<std::string> kPairColumns = {"name", "baseline", "ratio", "lcb99", "ucb99", "verdict"};

std::string cell(const Json& row, const std::string& column) {
  const Json* value = row.find(column);
  return value == nullptr ? "" : value->plain();
}

std::string csv_quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv(const std::vector<Json>& rows) {
  std::vector<std::string> columns;
  for (const Json& row : rows) {
    for (const auto& [key, value] : row.fields()) {
      if (std::find(columns.begin(), columns.end(), key) == columns.end()) columns.push_back(key);
    }
  }
  std::string text;
  const auto line = [&](const auto& value) {
    for (const auto& column : columns) text += (column == columns.front() ? "" : ",") + csv_quoted(value(column));
    text += "\n";
  };
  line([](const std::string& column) { return column; });
  for (const Json& row : rows) line([&](const std::string& column) { return cell(row, column); });
  return text;
}

std::string markdown(const std::vector<Json>& rows, const std::vector<std::string>& columns) {
  if (rows.empty()) return "";
  std::string head = "|", rule = "|", body;
  for (const auto& column : columns) {
    head += " " + column + " |";
    rule += "---|";
  }
  for (const Json& row : rows) {
    body += "|";
    for (const auto& column : columns) body += " " + cell(row, column) + " |";
    body += "\n";
  }
  return head + "\n" + rule + "\n" + body + "\n";
}

}  // namespace

void write_whole(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".new" + std::to_string(getpid());
  std::ofstream file(temporary, std::ios::binary);
  file << text;
  file.close();
  if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const std::string reason = std::strerror(errno);
    std::remove(temporary.c_str());
    throw std::runtime_error("cannot write " + path + ": " + reason);
  }
}

void check_writable(const std::string& option, const std::string& path) {
  const bool existed = access(path.c_str(), F_OK) == 0;
  if (!std::ofstream(path, std::ios::app)) {
    throw UsageError(option + ": cannot write " + path + ": " + std::strerror(errno));
  }
  if (!existed) unlink(path.c_str());
}

std::string document_text(const Json& document, Format format) {
  std::ostringstream text;
  switch (format) {
    case Format::json:
      document.write(text);
      text << '\n';
      break;
    case Format::jsonl:
      for (const char* section : {"benchmarks", "pairs", "checks"}) {
        for (const Json& row : document.at(section).elements()) text << row.dump() << '\n';
      }
      break;
    case Format::csv:
      text << csv(document.at("benchmarks").elements());
      break;
    case Format::markdown:
    case Format::console:
      text << markdown(document.at("benchmarks").elements(), kRowColumns)
           << markdown(document.at("pairs").elements(), kPairColumns);
      break;
  }
  return text.str();
}

Json read_document(const std::string& option, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || file.bad()) throw UsageError(option + ": cannot read " + path);
  try {
    Json document = Json::parse(text.str());
    const Json& context = document.at("context");
    if (context.text("ffn_schema") != "swiglu-bench/1") throw std::runtime_error("another schema than swiglu-bench/1");
    if (context.text("command") != "paired") throw std::runtime_error("not written by 'swiglu-bench paired'");
    for (const char* section : {"benchmarks", "pairs", "samples"}) document.at(section).elements();
    document.at("machine").text("cpu_model");
    return document;
  } catch (const std::exception& error) {
    throw UsageError(option + ": " + path + ": " + error.what());
  }
}

std::vector<PointResult> read_results(const Json& document, const std::vector<Point>& points) {
  struct Place {
    std::size_t point;
    const Implementation* impl;
  };
  std::map<std::string, Place> places;
  std::vector<PointResult> results;
  for (std::size_t i = 0; i < points.size(); ++i) {
    results.emplace_back().point = points[i];
    for (const Implementation* impl : points[i].impls) places[row_name(points[i], *impl)] = {i, impl};
  }
  std::map<std::string, const Json*> rows;
  for (const Json& row : document.at("benchmarks").elements()) {
    const auto place = places.find(row.text("name"));
    if (place == places.end()) continue;
    PointResult& result = results[place->second.point];
    if (row.text("status") == "OK") {
      result.arms.push_back(place->second.impl);
      result.facts.push_back(facts_of(row));
      rows[row.text("name")] = &row;
    } else {
      result.left_out.push_back({place->second.impl, row.text("status"), row.text("skip_reason")});
    }
  }
  for (const Json& row : document.at("samples").elements()) {
    const auto place = places.find(row.text("name"));
    if (place == places.end() || rows.count(row.text("name")) == 0) continue;
    PointResult& result = results[place->second.point];
    add_sample(result, result.arm_of(*place->second.impl), row);
  }
  for (PointResult& result : results) {
    if (result.arms.empty()) continue;
    const std::string name = row_name(result.point, *result.arms.front());
    check_launches(result, name);
    const Json& row = *rows.at(name);
    for (std::size_t arm = 0; arm < result.arms.size(); ++arm) {
      const std::string of_arm = row_name(result.point, *result.arms[arm]);
      const double t = rows.at(of_arm)->number("t_median");
      // Nine digits are written.
      if (std::fabs(typical_seconds(result, arm) / t - 1) > 1e-6) {
        throw std::runtime_error(of_arm + ": t_median is not what its samples say");
      }
    }
    for (Launch& launch : result.launches) {
      launch.drift = has_flag(row, "drift");
      Attempt& attempt = launch.attempts[launch.chosen];
      attempt.spinning_threads = has_flag(row, "spinning_threads");
      attempt.before = {row.number("peak_before"), row.number("read_before"), 0};
      attempt.after = {row.number("peak_after"), row.number("read_after"), 0};
    }
  }
  return results;
}

}  // namespace swiglu::bench
