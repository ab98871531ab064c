#include "arm.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "clock.hpp"
#include "stats.hpp"

namespace swiglu::bench {

void require_isa(Isa asked, Isa runs) {
  if (asked == runs) return;
  throw std::runtime_error(std::string("asked for ISA ") + swiglu::to_string(asked) + ", but " +
                           swiglu::to_string(runs) + " is what runs");
}

Arm::Arm(const Implementation& impl, Isa isa, std::size_t threads, const Shape& shape, const Weights& weights,
         std::size_t windows)
    : impl_(&impl) {
  const ObjectRequest request{shape.d, shape.h, weights, shape.activation, isa, threads, make_thread_pool(threads)};
  std::vector<double> seconds;
  for (std::size_t i = 0; i < windows; ++i) {
    const double begin = now();
    objects_.push_back(impl.create(request));
    seconds.push_back(now() - begin);
  }
  create_seconds_ = median(seconds);
  first_create_seconds_ = seconds.front();
  has_phases_ = objects_.front()->phases() != nullptr;
}

void Arm::reserve(std::size_t T, bool cold_scratch) {
  const std::size_t bytes = objects_.front()->workspace_bytes(T);
  const std::size_t count = cold_scratch ? objects_.size() : 1;
  if (workspaces_.size() != count || workspaces_.front().size() < bytes) {
    workspaces_.clear();
    for (std::size_t i = 0; i < count; ++i) workspaces_.emplace_back(bytes);
  }
  timed_first_ = false;
}

void Arm::forward_on(std::size_t window, const float* x, float* y, std::size_t T) {
  const double begin = timed_first_ ? 0 : now();
  objects_[window]->forward(x, y, T, workspaces_[window % workspaces_.size()]);
  if (timed_first_) return;
  first_call_seconds_ = now() - begin;
  timed_first_ = true;
}

Rotation rotation(double one, std::size_t threads, Cache cache, std::size_t llc_bytes, std::size_t budget) {
  const double fit = std::floor(static_cast<double>(budget) / one);
  const double caches = (threads > 1 ? 2.0 : 1.0) * static_cast<double>(llc_bytes);
  const double wanted = cache == Cache::none ? 1.0 : std::max(1.0, std::ceil(4.0 * caches / one));
  return {static_cast<std::size_t>(std::min(wanted, fit)), fit >= wanted};
}

}  // namespace swiglu::bench
