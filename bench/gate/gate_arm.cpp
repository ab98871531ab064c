// gate_arm ISA THREADS D/H:T…
//
// One build of the library, measured on request. scripts/lib/gate.py starts one for the base and one for the head and
// lets them take turns, so nothing here runs unasked. Version 1 of the conversation, one line each:
//
//     arm:   ready 1 ISA THREADS          after creating the objects and checking every point against the reference
//     gate:  sample POINT SECONDS         POINT counts from 0
//     arm:   T_MIN CALLS                  seconds of the fastest call
//     gate:  (closes the pipe)
//
// Anything wrong: one line on stderr and exit code 2.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iomanip>
#include <iostream>
#include <list>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "arm.hpp"
#include "caches.hpp"
#include "formulas.hpp"
#include "own_threads.hpp"
#include "sampler.hpp"
#include "source_weights.hpp"
#include "swiglu/feed_forward.h"
#include "verify.hpp"

namespace swiglu::bench {
namespace {

constexpr int kProtocol = 1;
constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kAssumedCache = std::size_t{32} << 20;  // where nothing tells its size
constexpr std::size_t kBudget = std::size_t{1} << 30;         // bytes of weights per shape
constexpr int kMaxTries = 3;
// Untimed calls before a sample. The other arm has just had the caches. With two threads, blocks took twice their time
// at the start of half of the samples, probably because a worker that slept woke on its caller's CPU and stayed there
// for some ticks.
constexpr double kSettleSeconds = 1e-3, kSettleSecondsOfThreads = 30e-3;

/// "1024/2816:16"
struct GatePoint {
  Shape shape;
  std::size_t T = 0;

  explicit GatePoint(const std::string& text) {
    int end = 0;
    if (std::sscanf(text.c_str(), "%zu/%zu:%zu%n", &shape.d, &shape.h, &T, &end) != 3 || text[end] != '\0' ||
        shape.d == 0 || shape.h == 0 || T == 0)
      throw std::invalid_argument("point '" + text + "' is not D_MODEL/D_FF:T");
  }
};

/// Points of one shape share their objects.
struct ShapeArm {
  Shape shape;
  SourceWeights weights;
  Truth truth;
  Arm arm;

  ShapeArm(const Shape& s, Isa isa, std::size_t threads)
      : shape(s), weights(s.d, s.h, kSeed), truth(s, weights.view(), kSeed), arm(make_arm(s, isa, threads, weights)) {}

  static Arm make_arm(const Shape& s, Isa isa, std::size_t threads, const SourceWeights& weights) {
    const std::size_t reported = reported_caches().usable();
    const Rotation windows =
        rotation(weight_bytes(s.d, s.h), threads, Cache::wei, reported == 0 ? kAssumedCache : reported, kBudget);
    if (windows.windows == 0) throw std::runtime_error("one block's weights exceed 1 GiB");
    return Arm(kNative, isa, threads, s, weights.view(), windows.windows);
  }
};

struct ServedPoint {
  ShapeArm* shape_arm;
  std::size_t T;
  std::vector<float> x, y;
};

ServedPoint serve(std::list<ShapeArm>& shape_arms, const GatePoint& point, Isa isa, std::size_t threads) {
  ShapeArm* found = nullptr;
  for (ShapeArm& candidate : shape_arms)
    if (candidate.shape.d == point.shape.d && candidate.shape.h == point.shape.h) found = &candidate;
  if (found == nullptr) found = &shape_arms.emplace_back(point.shape, isa, threads);

  ServedPoint served{found, point.T, random_rows(point.T, point.shape.d, kSeed), {}};
  served.y.resize(served.x.size());
  found->arm.reserve(point.T);
  found->truth.check([&](const float* x, float* y) { found->arm.forward_on(0, x, y, point.T); }, served.x.data(),
                     point.T);
  return served;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3) throw std::invalid_argument("usage: gate_arm ISA THREADS D_MODEL/D_FF:T...");
  const Isa isa = resolve_isa(parse_isa(arguments[0]));
  const std::size_t threads = std::stoul(arguments[1]);
  std::list<ShapeArm> shape_arms;
  std::vector<ServedPoint> points;
  for (std::size_t i = 2; i < arguments.size(); ++i)
    points.push_back(serve(shape_arms, GatePoint(arguments[i]), isa, threads));

  std::cout << "ready " << kProtocol << ' ' << swiglu::to_string(isa) << ' ' << threads << std::endl;
  int in_vain = 0;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string request;
    std::size_t index = 0;
    double seconds = 0;
    if (!(words >> request >> index >> seconds) || request != "sample" || index >= points.size())
      throw std::invalid_argument("not a request: '" + line + "'");
    ServedPoint& point = points[index];
    const CallBuffers buffers{point.x.data(), point.y.data(), point.x.size(), 0};
    const auto take = [&] {
      return take_sample([&] { point.shape_arm->arm.forward(buffers, point.T); }, buffers,
                         threads == 1 ? kSettleSeconds : kSettleSecondsOfThreads, seconds);
    };
    Sample sample = take();
    // One call that lasts as long as the sample may be a stall: in 15 % of the samples of a 0.2 ms block on two threads
    // the only call took 16 ms, probably both threads on one CPU until the kernel's next balancing.
    for (int i = 1; i < kMaxTries && sample.calls == 1; ++i) {
      const Sample again = take();
      sample.calls = again.calls;
      sample.t_min = std::min(sample.t_min, again.t_min);
    }
    // The other arm, which comes next, needs their cores. Once may be a stall of the machine.
    in_vain = let_workers_sleep(threads) ? 0 : in_vain + 1;
    if (in_vain == kMaxTries) throw std::runtime_error("the library's threads do not go to sleep after a call");
    std::cout << std::setprecision(9) << sample.t_min << ' ' << sample.calls << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace swiglu::bench

int main(int argc, char** argv) {
  try {
    return swiglu::bench::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "gate_arm: " << error.what() << std::endl;
    return 2;
  }
}
