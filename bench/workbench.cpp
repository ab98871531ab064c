#include "workbench.hpp"

#include <algorithm>
#include <cstring>

#include "formatted.hpp"
#include "formulas.hpp"
#include "machine_facts.hpp"

namespace swiglu::bench {

bool Workbench::shares(const Point& a, const Point& b) {
  return a.shape.d == b.shape.d && a.shape.h == b.shape.h && a.threads == b.threads && a.isa == b.isa &&
         a.cache == b.cache && a.shape.activation == b.shape.activation;
}

Workbench::Workbench(Session& session, const Point& point, const std::vector<const Implementation*>& impls)
    : point_(point), seed_(session.options().seed) {
  session.pin(point.threads);
  const std::size_t budget = available_memory() / 4 / impls.size();
  for (const Implementation* impl : impls) {
    if (const std::string reason = impl->missing(); !reason.empty()) {
      unavailable_[impl] = reason;
      continue;
    }
    if (!impl->any_activation && !point.shape.activation.empty()) {
      unavailable_[impl] = "has only swiglu, not " + point.shape.activation;
      continue;
    }
    const Shape shape = shape_of(point.shape, impl->family);
    const double one = weight_bytes(shape.d, shape.h, impl->family == Family::ffn ? 3 : 2);
    const Rotation rotate = rotation(one, point.threads, point.cache, session.llc_bytes(), budget);
    rotation_enough_ = rotation_enough_ && rotate.enough;
    if (rotate.windows == 0) {
      unavailable_[impl] =
          formatted("its weights need %.0f bytes; %zu are available (a quarter of the free memory, ", one, budget) +
          "shared by " + counted(impls.size(), "implementation") + ")";
      continue;
    }
    try {
      arms_.emplace_back(*impl, point.isa, point.threads, shape, reference(impl->family).source->view(),
                         rotate.windows);
      if (point.cache == Cache::all) sets_ = std::max(sets_, rotate.windows);
    } catch (const std::exception& error) {
      unavailable_[impl] = error.what();
    }
  }
  for (auto& [family, reference] : references_) reference.source.reset();
}

Workbench::Reference& Workbench::reference(Family family) {
  Reference& entry = references_[family];
  if (!entry.source) {
    entry.shape = shape_of(point_.shape, family);
    entry.source = std::make_unique<SourceWeights>(entry.shape.d, entry.shape.h, seed_);
    entry.truth = std::make_unique<Truth>(entry.shape, entry.source->view(), seed_, family);
  }
  return entry;
}

std::string Workbench::too_large(std::size_t T) const {
  const Shape gated = point_.shape;
  // x and y of each set, y of the comparison with double, and a gate, an up and a hidden row for who stores them.
  const std::size_t needed = 4 * T * ((2 * sets_ + 1) * gated.d + 3 * std::max(gated.h, 4 * gated.d));
  const std::size_t available = available_memory() / 2;
  if (needed <= available) return "";
  return "calls of " + counted(T, "row") +
         formatted(" need %zu bytes; %zu are available (half of the free memory)", needed, available);
}

Arm* Workbench::find(const Implementation& impl) {
  for (Arm& arm : arms_) {
    if (&arm.impl() == &impl) return &arm;
  }
  return nullptr;
}

CallBuffers Workbench::buffers(std::size_t T) {
  const std::size_t floats = T * point_.shape.d;
  if (set_floats_ < floats) {
    set_floats_ = floats;
    x_ = random_rows(T, point_.shape.d, seed_);
    x_.resize(sets_ * floats);
    for (std::size_t set = 1; set < sets_; ++set) std::copy_n(x_.begin(), floats, x_.begin() + set * floats);
    y_.assign(sets_ * floats, 0.0f);
  }
  return {x_.data(), y_.data(), floats, point_.cache == Cache::all ? set_floats_ : 0};
}

double Workbench::verify(Arm& arm, std::size_t T) {
  arm.reserve(T, point_.cache == Cache::all);
  const CallBuffers call = buffers(T);
  const Truth& truth = *references_.at(arm.impl().family).truth;
  const double error = truth.check([&](const float* x, float* y) { arm.forward_on(0, x, y, T); }, call.x, T);
  std::vector<float> first(point_.shape.d), other(point_.shape.d);
  arm.forward_on(0, call.x, first.data(), 1);
  for (std::size_t window = 1; window < arm.windows(); ++window) {
    arm.forward_on(window, call.x, other.data(), 1);
    if (std::memcmp(first.data(), other.data(), first.size() * sizeof(float)) != 0) {
      throw WrongResult("window " + std::to_string(window) + " gives another result than window 0");
    }
  }
  return error;
}

double Workbench::verify_result(const Arm& arm, const float* y, std::size_t T) const {
  return references_.at(arm.impl().family).truth->compare(y, T);
}

ArmFacts Workbench::facts(Arm& arm, std::size_t T, double max_rel_err) const {
  ArmFacts facts;
  facts.windows = arm.windows();
  facts.rotation_enough = rotation_enough_;
  facts.packed_bytes = arm.packed_bytes();
  facts.huge_bytes = huge_page_bytes();
  facts.create_ms = arm.create_seconds() * 1e3;
  facts.create_first_ms = arm.first_create_seconds() * 1e3;
  facts.first_call_us = arm.first_call_seconds() * 1e6;
  facts.max_rel_err = max_rel_err;
  facts.detail = arm.detail(T);
  return facts;
}

void Workbench::prepare(Arm& arm, std::size_t T) {
  arm.reserve(T, point_.cache == Cache::all);
  const CallBuffers call = buffers(T);
  for (std::size_t window = 0; window < arm.windows(); ++window) arm.forward_on(window, call.x, call.y, T);
}

}  // namespace swiglu::bench
