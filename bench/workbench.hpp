#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arm.hpp"
#include "points.hpp"
#include "sampler.hpp"
#include "session.hpp"
#include "verify.hpp"

namespace swiglu::bench {

/// The arms of all points that share shape, threads, ISA and cache mode: created once, because packing gigabytes costs
/// more than measuring them, and used for every T.
class Workbench {
 public:
  /// Pins the calling thread for `point.threads`. An arm that cannot be created goes into unavailable().
  Workbench(Session& session, const Point& point, const std::vector<Impl>& impls);

  static bool shares(const Point& a, const Point& b);

  std::vector<Arm>& arms() { return arms_; }
  const std::map<Impl, std::string>& unavailable() const { return unavailable_; }  ///< impl → reason
  bool rotation_enough() const { return rotation_enough_; }

  /// x and y for calls of T rows.
  CallBuffers buffers(std::size_t T);

  /// Largest relative error of a row. Throws WrongResult; also if two windows of the arm disagree.
  double verify(Arm& arm, std::size_t T);

 private:
  Shape shape_;
  std::uint64_t seed_;
  std::vector<Arm> arms_;
  std::map<Impl, std::string> unavailable_;
  bool rotation_enough_ = true;
  std::unique_ptr<Truth> truth_;
  std::vector<float> x_, y_;
};

}  // namespace swiglu::bench
