#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "swiglu/activation.h"
#include "swiglu/error.h"
#include "swiglu/executor.h"
#include "swiglu/export.h"
#include "swiglu/isa.h"
#include "swiglu/weights.h"

namespace swiglu {

/// Who computes.
enum class Backend {
  native,     ///< our kernels: the library
  onednn,     ///< oneDNN ≥ 3 matmuls, the rival; only if the library was built with it. Its OpenMP threads, but for
              ///< the caller's, compute in the floating-point mode that they were created in
  reference,  ///< plain loops in double, rounded once to f32: the definition of correct, slow
};

/// "native", "onednn" or "reference".
SWIGLU_API const char* to_string(Backend backend) noexcept;

/// The inverse of to_string. Throws InvalidArgument for any other text.
SWIGLU_API Backend parse_backend(const std::string& name);

/// Backends this library was built with.
SWIGLU_API std::vector<Backend> compiled_backends();

/// How the oneDNN backend forms the block; which one is faster depends on the shape (benchmarks take the better).
enum class OneDnnForm {
  wide,      ///< one matmul of width 2·d_ff, our vectorised silu·mul pass, down matmul
  post_ops,  ///< gate matmul + swish, up matmul + multiply by it (separate buffer), down matmul; swish(−∞) is NaN
};

/// Options of one object. The defaults are what an engine wants.
struct Options {
  Backend backend = Backend::native;
  Isa isa = Isa::automatic;            ///< forced ISA of this object's kernels; see resolve_isa()
  std::size_t threads = 0;             ///< ≤ 4096; 0 = default_thread_count(); not used beside an executor
  std::shared_ptr<Executor> executor;  ///< the host's threads; null = the process's pool (oneDNN uses neither)
  OneDnnForm onednn_form = OneDnnForm::wide;
  Activation activation;  ///< swiglu by default; every backend has all presets (oneDNN's post_ops form only swiglu)
};

/// A sequence of T rows in the caller's memory: row i starts at data + i·stride.
struct ConstRows {
  const float* data = nullptr;
  std::size_t stride = kDense;  ///< elements, ≥ d_model
};
struct Rows {
  float* data = nullptr;
  std::size_t stride = kDense;  ///< elements, ≥ d_model
};

/// Scratch memory for forward(). One per call in flight; contents never matter. Movable, frees on destruction.
class SWIGLU_API Workspace {
 public:
  Workspace() noexcept;
  explicit Workspace(std::size_t bytes);  ///< 64-byte aligned; throws std::bad_alloc
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  void* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The gated feed-forward block with packed weights:
///
///     hidden = act(x · W_gate + b_gate) ⊙ (x · W_up + b_up)       x [T, d_model], hidden [T, d_ff]
///     y      = hidden · W_down + b_down   (+ y, if accumulate)    y [T, d_model]
///
/// act is silu, or what Options::activation says (some presets change the up value, too: see Preset).
///
/// Immutable after construction: any number of threads may call forward() on one object at once, each with its own
/// workspace. Row i of a batch has the same bits as that row alone, for every T, tile, thread count and run (C2);
/// f32 bits are the same on avx2, avx512 and neon (C3; NaN payloads excepted). The floating-point modes of the caller
/// and of an executor's threads (flush to zero, rounding, unmasked exceptions) change nothing and are left as they were
/// (x86-64 and AArch64); flags of masked exceptions may be raised.
class SWIGLU_API FeedForward {
 public:
  /// Packs the weights. d_model, d_ff ≥ 1. Throws InvalidArgument (null data, stride < width, sizes that overflow,
  /// contradictory weights, an invalid activation), Unsupported (ISA or backend not available, an activation that the
  /// backend lacks) or std::bad_alloc.
  FeedForward(std::size_t d_model, std::size_t d_ff, const Weights& weights, const Options& options = {});
  ~FeedForward();
  FeedForward(FeedForward&&) noexcept;
  FeedForward& operator=(FeedForward&&) noexcept;

  /// Computes T rows. T = 0 does nothing and accepts null pointers. x and y must not overlap each other or the
  /// workspace, else InvalidArgument; rows may be interleaved (two column ranges of one matrix are fine).
  /// `workspace` needs workspace_bytes(T) bytes and element alignment (64-byte alignment avoids split stores).
  /// native: no allocation, no lock with one thread, no environment read (C6).
  void forward(ConstRows x, Rows y, std::size_t T, void* workspace, std::size_t workspace_bytes,
               bool accumulate = false) const;
  void forward(ConstRows x, Rows y, std::size_t T, const Workspace& workspace, bool accumulate = false) const {
    forward(x, y, T, workspace.data(), workspace.size(), accumulate);
  }

  /// Bytes forward() needs for T rows; monotone in T and bounded (rows are worked off in blocks), so
  /// workspace_bytes(SIZE_MAX) serves every T.
  std::size_t workspace_bytes(std::size_t T) const noexcept;

  /// A workspace large enough for any T up to `max_T` (by default every T).
  Workspace make_workspace(std::size_t max_T = static_cast<std::size_t>(-1)) const;

  std::size_t d_model() const noexcept;
  std::size_t d_ff() const noexcept;
  Backend backend() const noexcept;
  Isa isa() const noexcept;                   ///< what runs, never `automatic`
  std::size_t threads() const noexcept;       ///< upper bound of threads that one call uses
  std::size_t packed_bytes() const noexcept;  ///< memory held for weights

  /// Several lines for people: backend, ISA and why, tile sizes, threads, memory and page size obtained.
  std::string explain() const;

  class Impl;  ///< internal

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace swiglu
