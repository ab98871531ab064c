#include "measurement.hpp"

#include <algorithm>

namespace swiglu::bench {

bool PointResult::has_launch(std::size_t index) const {
  return std::any_of(launches.begin(), launches.end(), [&](const Launch& launch) { return launch.index == index; });
}

std::size_t PointResult::arm_of(const Implementation& impl) const {
  return static_cast<std::size_t>(std::find(arms.begin(), arms.end(), &impl) - arms.begin());
}

std::vector<std::string> PointResult::holes() const {
  std::vector<std::string> names;
  for (const Implementation* impl : point.impls) {
    const bool explained =
        std::any_of(left_out.begin(), left_out.end(), [&](const LeftOut& l) { return l.impl == impl; });
    if (!explained && (launches.empty() || arm_of(*impl) == arms.size())) names.push_back(row_name(point, *impl));
  }
  return names;
}

void PointResult::leave_out(const Implementation& impl, const std::string& status, const std::string& reason) {
  const bool known = std::any_of(left_out.begin(), left_out.end(), [&](const LeftOut& l) { return l.impl == &impl; });
  if (!known) left_out.push_back({&impl, status, reason});
  const std::size_t arm = arm_of(impl);
  if (arm == arms.size()) return;
  const auto at = static_cast<std::ptrdiff_t>(arm);
  arms.erase(arms.begin() + at);
  facts.erase(facts.begin() + at);
  for (Launch& launch : launches) {
    for (Attempt& attempt : launch.attempts) {
      for (Round& round : attempt.rounds) {
        round.samples.erase(round.samples.begin() + at);
        round.order.erase(std::remove(round.order.begin(), round.order.end(), arm), round.order.end());
        for (std::size_t& other : round.order) other -= other > arm ? 1 : 0;
      }
    }
  }
}

void PointResult::merge(PointResult other) {
  if (arms.empty() && launches.empty()) {
    arms = other.arms;
    facts = other.facts;
  }
  for (const LeftOut& entry : other.left_out) leave_out(*entry.impl, entry.status, entry.reason);
  for (const LeftOut& entry : left_out) other.leave_out(*entry.impl, entry.status, entry.reason);
  for (const auto& lists : {arms, other.arms}) {  // an arm that only one of them has, and neither explains
    for (const Implementation* impl : lists) {
      if (arm_of(*impl) < arms.size() && other.arm_of(*impl) < other.arms.size()) continue;
      leave_out(*impl, "SKIPPED", "not measured in every launch");
      other.leave_out(*impl, "SKIPPED", "not measured in every launch");
    }
  }
  for (Launch& launch : other.launches) {
    for (Attempt& attempt : launch.attempts) {
      for (Round& round : attempt.rounds) {  // into our order of arms
        std::vector<Sample> samples;
        for (const Implementation* impl : arms) samples.push_back(round.samples[other.arm_of(*impl)]);
        round.samples = std::move(samples);
        for (std::size_t& arm : round.order) arm = arm_of(*other.arms[arm]);
      }
    }
    launches.push_back(std::move(launch));
  }
  std::sort(launches.begin(), launches.end(), [](const Launch& a, const Launch& b) { return a.index < b.index; });
}

}  // namespace swiglu::bench
