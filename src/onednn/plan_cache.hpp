#pragma once

// The plans that one object keeps: the most recently used shapes, so that memory stays bounded over changing T.

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "onednn/plan.hpp"

namespace swiglu::onednn {

/// Thread-safe. A miss compiles (milliseconds) while other calls wait; that is one reason why the oneDNN backend is not
/// real-time safe.
class PlanCache {
 public:
  static constexpr std::size_t kPlans = 16;

  PlanCache(const BlockShape& shape, std::vector<WeightMatrix> matrices)
      : shape_(shape), matrices_(std::move(matrices)) {}

  std::shared_ptr<Plan> find_or_make(const PlanKey& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto it = plans_.begin(); it != plans_.end(); ++it) {
      if (!(it->first == key)) continue;
      plans_.splice(plans_.begin(), plans_, it);
      return it->second;
    }
    plans_.emplace_front(key, std::make_shared<Plan>(shape_, key, matrices_));
    if (plans_.size() > kPlans) plans_.pop_back();  // a call that still runs it holds it until it ends
    return plans_.front().second;
  }

  /// f(matrix) for every weight matrix, under the lock.
  template <class F>
  void for_each_matrix(const F& f) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const WeightMatrix& matrix : matrices_) f(matrix);
  }

 private:
  BlockShape shape_;
  mutable std::mutex mutex_;
  std::vector<WeightMatrix> matrices_;
  std::list<std::pair<PlanKey, std::shared_ptr<Plan>>> plans_;
};

}  // namespace swiglu::onednn
