#include "arm.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "clock.hpp"
#include "formulas.hpp"
#include "stats.hpp"

namespace swiglu::bench {
namespace {

swiglu::Options library_options(Impl impl, Isa isa, std::size_t threads) {
  swiglu::Options options;
  options.threads = threads;
  switch (impl) {
    case Impl::native:
      options.backend = Backend::native;
      options.isa = isa;
      break;
    case Impl::onednn_wide:
      options.backend = Backend::onednn;
      options.onednn_form = OneDnnForm::wide;
      break;
    case Impl::onednn_post_ops:
      options.backend = Backend::onednn;
      options.onednn_form = OneDnnForm::post_ops;
      break;
    case Impl::reference:
      options.backend = Backend::reference;
      break;
  }
  return options;
}

}  // namespace

void require_isa(Isa asked, Isa runs) {
  if (asked == runs) return;
  throw std::runtime_error(std::string("asked for ISA ") + swiglu::to_string(asked) + ", but " +
                           swiglu::to_string(runs) + " is what runs");
}

Arm::Arm(Impl impl, Isa isa, std::size_t threads, const Shape& shape, const Weights& weights, std::size_t windows)
    : impl_(impl) {
  swiglu::Options options = library_options(impl, isa, threads);
  // One pool for all windows, as a host with many layers has it. A pool in each would mean idle workers of one window
  // that spin on the cores the next one needs (seen: 3 ms became 14).
  if (impl == Impl::native) options.executor = make_thread_pool(threads);
  std::vector<double> seconds;
  for (std::size_t i = 0; i < windows; ++i) {
    const double begin = now();
    objects_.emplace_back(shape.d, shape.h, weights, options);
    seconds.push_back(now() - begin);
  }
  create_seconds_ = median(seconds);
  if (impl == Impl::native) require_isa(isa, objects_.front().isa());
}

void Arm::reserve(std::size_t T) {
  const std::size_t bytes = objects_.front().workspace_bytes(T);
  if (workspace_.size() < bytes) workspace_ = Workspace(bytes);
}

Rotation rotation(const Shape& shape, std::size_t threads, Cache cache, std::size_t llc_bytes, std::size_t budget) {
  const double one = weight_bytes(shape.d, shape.h);
  const double fit = std::floor(static_cast<double>(budget) / one);
  const double caches = (threads > 1 ? 2.0 : 1.0) * static_cast<double>(llc_bytes);
  const double wanted = cache == Cache::none ? 1.0 : std::max(1.0, std::ceil(4.0 * caches / one));
  return {static_cast<std::size_t>(std::min(wanted, fit)), fit >= wanted};
}

}  // namespace swiglu::bench
