#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "points.hpp"
#include "swiglu/feed_forward.h"

namespace swiglu::bench {

/// One implementation at one shape: the same block as several objects (windows), so that calls that take one window
/// after the other find their weights out of cache. All windows hold equal weights in memory of their own.
class Arm {
 public:
  /// Creates `windows` objects. Throws what FeedForward throws; std::runtime_error if the object does not run on the
  /// ISA that was asked for.
  Arm(Impl impl, Isa isa, std::size_t threads, const Shape& shape, const Weights& weights, std::size_t windows);

  Impl impl() const { return impl_; }
  std::size_t windows() const { return objects_.size(); }
  std::size_t packed_bytes() const { return objects_.front().packed_bytes(); }
  double create_seconds() const { return create_seconds_; }  ///< median over the windows, packing included
  std::string detail() const { return objects_.front().explain(); }

  /// Prepares calls of up to T rows.
  void reserve(std::size_t T);

  /// One call on the next window.
  void forward(const float* x, float* y, std::size_t T) { forward_on(next_++ % objects_.size(), x, y, T); }
  void forward_on(std::size_t window, const float* x, float* y, std::size_t T) const {
    objects_[window].forward({x}, {y}, T, workspace_);
  }

 private:
  Impl impl_;
  std::vector<FeedForward> objects_;
  Workspace workspace_;
  std::size_t next_ = 0;
  double create_seconds_ = 0;
};

/// The library runs what was asked for, or this throws std::runtime_error. A row must never carry another ISA's name.
void require_isa(Isa asked, Isa runs);

/// Windows of one arm: a footprint of ≥ 4 × the last-level cache (benchdnn rotates over 3, STREAM over 4), twice that
/// with several threads, which may sit on caches of their own. `budget` bytes bound it; 0 = not even one fits.
struct Rotation {
  std::size_t windows = 0;
  bool enough = true;  ///< the footprint is what it should be
};
Rotation rotation(const Shape& shape, std::size_t threads, Cache cache, std::size_t llc_bytes, std::size_t budget);

}  // namespace swiglu::bench
