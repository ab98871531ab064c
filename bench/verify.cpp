#include "verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "activation_text.hpp"
#include "source_weights.hpp"
#include "swiglu/feed_forward.h"

namespace swiglu::bench {

Truth::Truth(const Shape& shape, const Weights& weights, std::uint64_t seed, Family family)
    : d_(shape.d), y_(kDistinctRows * d_) {
  swiglu::Options options;
  options.backend = Backend::reference;
  set_activation(options, shape.activation);
  Weights three = weights;
  std::vector<float> zeros, ones;
  if (family == Family::ffn2) {
    zeros.assign(shape.d * shape.h, 0.0f);
    ones.assign(shape.h, 1.0f);
    three.up = {zeros.data(), Order::out_in, kDense};
    three.up_bias = ones.data();
  }
  const FeedForward reference(shape.d, shape.h, three, options);
  const std::vector<float> x = random_rows(kDistinctRows, d_, seed);
  reference.forward({x.data()}, {y_.data()}, kDistinctRows, reference.make_workspace(kDistinctRows));
}

double Truth::check(const std::function<void(const float*, float*)>& forward, const float* x, std::size_t T) const {
  std::vector<float> y(T * d_, std::numeric_limits<float>::quiet_NaN());
  forward(x, y.data());
  return compare(y.data(), T);
}

double Truth::compare(const float* y, std::size_t T) const {
  double worst = 0;
  for (std::size_t t = 0; t < T; ++t) {
    const float* truth = y_.data() + t % kDistinctRows * d_;
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < d_; ++i) {
      const double difference = static_cast<double>(y[t * d_ + i]) - truth[i];
      error += difference * difference;
      norm += static_cast<double>(truth[i]) * truth[i];
    }
    const double relative = std::sqrt(error / norm);
    if (!(relative <= kMaxError)) {
      throw WrongResult("row " + std::to_string(t) + " of " + std::to_string(T) + " is off by " +
                        std::to_string(relative) + " of its norm");
    }
    worst = std::max(worst, relative);
  }
  return worst;
}

}  // namespace swiglu::bench
