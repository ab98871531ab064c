#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arm.hpp"
#include "measurement.hpp"
#include "points.hpp"
#include "sampler.hpp"
#include "session.hpp"
#include "source_weights.hpp"
#include "verify.hpp"

namespace swiglu::bench {

/// The arms of all points that share shape, threads, ISA and cache mode: created once, because packing gigabytes costs
/// more than measuring them, and used for every T.
class Workbench {
 public:
  /// Pins the calling thread for `point.threads`. An arm that cannot be created goes into unavailable().
  Workbench(Session& session, const Point& point, const std::vector<const Implementation*>& impls);

  static bool shares(const Point& a, const Point& b);

  Arm* find(const Implementation& impl);  ///< null if it is in unavailable()
  const std::map<const Implementation*, std::string>& unavailable() const { return unavailable_; }  ///< → reason
  bool rotation_enough() const { return rotation_enough_; }

  /// Why there is no memory for calls of T rows; empty = there is.
  std::string too_large(std::size_t T) const;

  /// x and y for calls of T rows.
  CallBuffers buffers(std::size_t T);

  /// Largest relative error of a row. Throws WrongResult; also if two windows of the arm disagree.
  double verify(Arm& arm, std::size_t T);

  /// The same for y as calls have left it there. Throws WrongResult.
  double verify_result(const Arm& arm, const float* y, std::size_t T) const;

  /// What is recorded of an arm that verify() or prepare() has just run.
  ArmFacts facts(Arm& arm, std::size_t T, double max_rel_err) const;

  std::vector<Arm>& arms() { return arms_; }

  /// As many calls as it takes to have run on every window: brings what is compiled or allocated late.
  void prepare(Arm& arm, std::size_t T);

 private:
  struct Reference {
    Shape shape;
    std::unique_ptr<SourceWeights> source;  // until the arms are made
    std::unique_ptr<Truth> truth;
  };
  Reference& reference(Family family);

  Point point_;
  std::uint64_t seed_;
  std::vector<Arm> arms_;
  std::map<const Implementation*, std::string> unavailable_;
  bool rotation_enough_ = true;
  std::map<Family, Reference> references_;
  std::size_t sets_ = 1;        // of x and y
  std::size_t set_floats_ = 0;  // of one set: for the largest T so far
  std::vector<float> x_, y_;
};

}  // namespace swiglu::bench
