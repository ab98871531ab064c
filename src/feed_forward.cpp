// The public object: checks every argument once, then hands over to a backend, which checks nothing.

#include "swiglu/feed_forward.h"

#include <sstream>
#include <utility>

#include "backend.hpp"
#include "dispatch/tuning.hpp"
#include "threading/thread_count.hpp"
#include "validate.hpp"

namespace swiglu {
namespace {

std::string compiled_backend_names() {
  std::string text;
  for (const Backend backend : compiled_backends())
    text += (text.empty() ? "" : ", ") + std::string(to_string(backend));
  return text;
}

/// Returns the options with `isa` resolved.
Options check_options(Options options) {
  if (options.threads > kMaxThreads) {
    throw InvalidArgument("options.threads = " + std::to_string(options.threads) + ": must be at most " +
                          std::to_string(kMaxThreads) + " (0 = default_thread_count())");
  }
  if (options.executor != nullptr) {
    const std::size_t tasks = options.executor->concurrency();
    if (tasks == 0 || tasks > kMaxThreads) {
      throw InvalidArgument("options.executor->concurrency() = " + std::to_string(tasks) +
                            ": must be at least 1 and at most " + std::to_string(kMaxThreads));
    }
  }
  if (options.onednn_form != OneDnnForm::wide && options.onednn_form != OneDnnForm::post_ops) {
    throw InvalidArgument("options.onednn_form = " + std::to_string(static_cast<int>(options.onednn_form)) +
                          ": must be wide or post_ops");
  }
  options.activation.validate();
  if (options.backend == Backend::onednn && options.onednn_form == OneDnnForm::post_ops &&
      options.activation != Activation()) {
    throw Unsupported("options.activation = " + to_string(options.activation) +
                      ": the post_ops form of backend onednn has only swiglu. Available: onednn_form wide");
  }
  options.isa = resolve_isa(options.isa);
  // The native backend reads SWIGLU_TUNING itself; a wrong one is an error for the others, too.
  if (options.backend != Backend::native) choose_tuning();
  return options;
}

std::unique_ptr<BlockBackend> make_backend(const BlockWeights& weights, const Options& options) {
  switch (options.backend) {
    case Backend::native:
      return make_native_backend(weights, options);
    case Backend::reference:
      return make_reference_backend(weights, options);
    case Backend::onednn:
#ifdef SWIGLU_HAVE_ONEDNN
      return make_onednn_backend(weights, options);
#else
      throw Unsupported(
          "options.backend = onednn: this library was built without it. Install oneDNN >= 3 and configure with "
          "-DSWIGLU_WITH_ONEDNN=ON. Available: " +
          compiled_backend_names());
#endif
  }
  throw InvalidArgument("options.backend = " + std::to_string(static_cast<int>(options.backend)) +
                        ": not a Backend value. Available: " + compiled_backend_names());
}

/// Throws unless the workspace is large enough and apart from x and y.
void check_workspace(void* workspace, std::size_t bytes, std::size_t needed, std::size_t T, const ByteRows& x,
                     const ByteRows& y) {
  if (bytes < needed) {
    throw InvalidArgument("workspace_bytes = " + std::to_string(bytes) + ": " + std::to_string(needed) +
                          " are needed for T = " + std::to_string(T));
  }
  if (workspace == nullptr) {
    if (needed == 0) return;
    throw InvalidArgument("workspace = null: must point to " + std::to_string(needed) + " bytes");
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(workspace);
  std::uintptr_t end = 0;
  if (__builtin_add_overflow(begin, bytes, &end)) {
    throw InvalidArgument("workspace_bytes = " + std::to_string(bytes) + ": ends beyond the address space");
  }
  if (needed > 0 && begin % alignof(float) != 0) {
    std::ostringstream text;
    text << "workspace = " << workspace << ": must be aligned to " << alignof(float) << " bytes";
    throw InvalidArgument(text.str());
  }
  // The whole of what the caller calls workspace, not only the part that this T needs: the verdict then does not
  // change with T.
  const auto require_apart = [&](const char* name, const ByteRows& rows) {
    if (span_overlaps(rows, begin, end)) {
      throw_overlap(name, reinterpret_cast<const void*>(rows.begin), "workspace", workspace);
    }
  };
  require_apart("x", x);
  require_apart("y", y);
}

}  // namespace

class FeedForward::Impl {
 public:
  std::size_t d_model;
  std::size_t d_ff;
  Backend kind;
  Activation activation;
  std::string isa_text;  // as it was decided: the environment may change afterwards
  std::unique_ptr<const BlockBackend> backend;
};

FeedForward::FeedForward(std::size_t d_model, std::size_t d_ff, const Weights& weights, const Options& options) {
  const BlockWeights block = resolve_weights(d_model, d_ff, weights);
  const Options checked = check_options(options);
  std::string isa_text = options.backend == Backend::reference ? "" : explain_isa(options.isa);  // it has no kernels
  impl_.reset(
      new Impl{d_model, d_ff, options.backend, options.activation, std::move(isa_text), make_backend(block, checked)});
}
FeedForward::~FeedForward() = default;
FeedForward::FeedForward(FeedForward&&) noexcept = default;
FeedForward& FeedForward::operator=(FeedForward&&) noexcept = default;

void FeedForward::forward(ConstRows x, Rows y, std::size_t T, void* workspace, std::size_t workspace_bytes,
                          bool accumulate) const {
  if (T == 0) return;
  if (impl_ == nullptr) throw InvalidArgument("forward() called on a moved-from FeedForward");
  const ByteRows x_rows = check_rows({"x", "x.stride", "d_model", x.data, T, impl_->d_model, x.stride});
  const ByteRows y_rows = check_rows({"y", "y.stride", "d_model", y.data, T, impl_->d_model, y.stride});
  if (rows_overlap(x_rows, y_rows)) throw_overlap("x", x.data, "y", y.data);
  check_workspace(workspace, workspace_bytes, impl_->backend->workspace_bytes(T), T, x_rows, y_rows);
  impl_->backend->forward(
      {x.data, x_rows.stride_elements(), y.data, y_rows.stride_elements(), T, workspace, accumulate});
}

// The accessors are noexcept and answer for a moved-from object, too: it holds nothing.

std::size_t FeedForward::workspace_bytes(std::size_t T) const noexcept {
  return impl_ == nullptr || T == 0 ? 0 : impl_->backend->workspace_bytes(T);
}

Workspace FeedForward::make_workspace(std::size_t max_T) const { return Workspace(workspace_bytes(max_T)); }

std::size_t FeedForward::d_model() const noexcept { return impl_ == nullptr ? 0 : impl_->d_model; }
std::size_t FeedForward::d_ff() const noexcept { return impl_ == nullptr ? 0 : impl_->d_ff; }
Backend FeedForward::backend() const noexcept { return impl_ == nullptr ? Backend::native : impl_->kind; }
Isa FeedForward::isa() const noexcept { return impl_ == nullptr ? Isa::portable : impl_->backend->isa(); }
std::size_t FeedForward::threads() const noexcept { return impl_ == nullptr ? 0 : impl_->backend->threads(); }
std::size_t FeedForward::packed_bytes() const noexcept { return impl_ == nullptr ? 0 : impl_->backend->packed_bytes(); }

std::string FeedForward::explain() const {
  if (impl_ == nullptr) return "a moved-from FeedForward: nothing to run\n";
  std::ostringstream text;
  text << "feed-forward block: " << to_string(impl_->activation) << ", d_model " << d_model() << ", d_ff " << d_ff()
       << ", on " << to_string(backend()) << "/" << to_string(isa()) << "\n"
       << impl_->backend->explain() << impl_->isa_text;
  return text.str();
}

}  // namespace swiglu
