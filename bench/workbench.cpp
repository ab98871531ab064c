#include "workbench.hpp"

#include <algorithm>
#include <cstring>

#include "machine_facts.hpp"
#include "source_weights.hpp"

namespace swiglu::bench {

bool Workbench::shares(const Point& a, const Point& b) {
  return a.shape.d == b.shape.d && a.shape.h == b.shape.h && a.threads == b.threads && a.isa == b.isa &&
         a.cache == b.cache;
}

Workbench::Workbench(Session& session, const Point& point, const std::vector<Impl>& impls)
    : shape_(point.shape), seed_(session.options().seed) {
  session.pin(point.threads);
  const std::size_t budget = available_memory() / 4 / impls.size();
  const Rotation rotate = rotation(shape_, point.threads, point.cache, session.llc_bytes(), budget);
  rotation_enough_ = rotate.enough;
  if (rotate.windows == 0) {
    for (const Impl impl : impls) {
      unavailable_[impl] = "weights need more than a quarter of the free memory (" + std::to_string(budget >> 20) +
                           " MiB for each implementation)";
    }
    return;
  }
  const SourceWeights source(shape_.d, shape_.h, seed_);
  truth_ = std::make_unique<Truth>(shape_, source.view(), seed_);
  for (const Impl impl : impls) {
    try {
      arms_.emplace_back(impl, point.isa, point.threads, shape_, source.view(), rotate.windows);
    } catch (const std::exception& error) {
      unavailable_[impl] = error.what();
    }
  }
}

CallBuffers Workbench::buffers(std::size_t T) {
  const std::size_t floats = T * shape_.d;
  if (x_.size() < floats) {
    x_ = random_rows(T, shape_.d, seed_);
    y_.assign(floats, 0.0f);
  }
  return {x_.data(), y_.data(), floats};
}

double Workbench::verify(Arm& arm, std::size_t T) {
  arm.reserve(T);
  const CallBuffers call = buffers(T);
  const double error = truth_->check([&](const float* x, float* y) { arm.forward_on(0, x, y, T); }, call.x, T);
  std::vector<float> first(shape_.d), other(shape_.d);
  arm.forward_on(0, call.x, first.data(), 1);
  for (std::size_t window = 1; window < arm.windows(); ++window) {
    arm.forward_on(window, call.x, other.data(), 1);
    if (std::memcmp(first.data(), other.data(), first.size() * sizeof(float)) != 0) {
      throw WrongResult("window " + std::to_string(window) + " gives another result than window 0");
    }
  }
  return error;
}

}  // namespace swiglu::bench
