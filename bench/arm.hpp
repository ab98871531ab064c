#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "implementations/implementation.hpp"
#include "points.hpp"
#include "sampler.hpp"

namespace swiglu::bench {

/// One implementation at one shape: the same block as several objects (windows), so that calls that take one window
/// after the other find their weights out of cache. All windows hold equal weights in memory of their own.
class Arm {
 public:
  /// Creates `windows` objects. Throws what the implementation throws.
  Arm(const Implementation& impl, Isa isa, std::size_t threads, const Shape& shape, const Weights& weights,
      std::size_t windows);

  const Implementation& impl() const { return *impl_; }
  std::size_t windows() const { return objects_.size(); }
  std::size_t packed_bytes() const { return objects_.front()->packed_bytes(); }
  double create_seconds() const { return create_seconds_; }  ///< median over the windows, packing included
  double first_create_seconds() const { return first_create_seconds_; }
  double first_call_seconds() const { return first_call_seconds_; }  ///< of the last reserve()
  std::string detail(std::size_t T) const { return objects_.front()->detail(T); }
  const Phases* phases() const { return has_phases_ ? &last_phases_ : nullptr; }  ///< of the last forward()

  /// Prepares calls of up to T rows; `cold_scratch`: every window gets scratch memory of its own.
  void reserve(std::size_t T, bool cold_scratch = false);

  /// One call on the next window.
  void forward(const CallBuffers& buffers, std::size_t T) {
    last_ = next_++ % objects_.size();
    forward_on(last_, buffers.x + last_ * buffers.stride, buffers.y + last_ * buffers.stride, T);
    if (has_phases_) last_phases_ = *objects_[last_]->phases();
  }
  void forward_on(std::size_t window, const float* x, float* y, std::size_t T);

  /// Where the last forward() wrote.
  const float* last_y(const CallBuffers& buffers) const { return buffers.y + last_ * buffers.stride; }

 private:
  const Implementation* impl_;
  std::vector<std::unique_ptr<BlockObject>> objects_;
  std::vector<Workspace> workspaces_;
  std::size_t next_ = 0, last_ = 0;
  bool timed_first_ = false, has_phases_ = false;
  Phases last_phases_;
  double create_seconds_ = 0, first_create_seconds_ = 0, first_call_seconds_ = 0;
};

/// The library runs what was asked for, or this throws std::runtime_error. A row must never carry another ISA's name.
void require_isa(Isa asked, Isa runs);

/// Windows of one arm: a footprint of ≥ 4 × the last-level cache (benchdnn rotates over 3, STREAM over 4), twice that
/// with several threads, which may sit on caches of their own. `one`: bytes of one window's weights; `budget` bytes
/// bound it; 0 = not even one fits.
struct Rotation {
  std::size_t windows = 0;
  bool enough = true;  ///< the footprint is what it should be
};
Rotation rotation(double one, std::size_t threads, Cache cache, std::size_t llc_bytes, std::size_t budget);

}  // namespace swiglu::bench
