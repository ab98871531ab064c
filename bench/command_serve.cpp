// A measuring server: a script starts one per build and asks both in turn, so that base and head are interleaved.
// Requests on stdin, one JSON line each as the answer on stdout: "sample I", "roofs", "quit".

#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "commands.hpp"
#include "session.hpp"
#include "workbench.hpp"

namespace swiglu::bench {
namespace {

constexpr double kSettleSeconds = 5e-3;  // the other server has just had the caches and the CPU

void answer(const Json& json) { std::cout << json.dump() << std::endl; }

struct Served {
  Point point;
  Workbench* bench;
  Arm* arm;
};

class Server {
 public:
  explicit Server(const Options& options) : session_(options) {
    const auto points = build_points(options, session_.limits());
    for (const Point& point : points) {
      if (point.threads != points.front().threads || point.isa != points.front().isa) {
        throw UsageError("serve takes one thread count and one ISA");
      }
      for (const Impl impl : point.impls) add(point, impl);
    }
    if (served_.empty()) throw UsageError("no points to serve");
    session_.roofs();  // fills its arena now, not at the first request
  }

  void run() {
    Json names = Json::array();
    for (const auto& served : served_) names.push(row_name(served.point, served.arm->impl()));
    const Isa isa = served_.front().point.isa;
    answer(Json().set("ready", true).set("isa", swiglu::to_string(isa)).set("points", names));
    for (std::string line; std::getline(std::cin, line);) {
      std::istringstream words(line);
      std::string request;
      words >> request;
      std::size_t index = 0;
      if (request == "quit") return;
      if (request == "roofs") {
        const Roof roof = session_.roofs().beside_block(isa, served_.front().point.threads);
        answer(Json().set("peak_gflops", roof.peak_gflops).set("read_gbps", roof.read_gbps));
      } else if (request == "sample" && words >> index && index < served_.size()) {
        answer(sample(index));
      } else {
        answer(Json().set("error", "not a request: '" + line + "'"));
      }
    }
  }

 private:
  void add(const Point& point, Impl impl) {
    if (impl != Impl::native && session_.options().impls.empty()) return;  // the gate compares builds, not rivals
    Workbench* bench = nullptr;
    for (auto& entry : benches_) {
      if (entry.impl == impl && Workbench::shares(entry.point, point)) bench = entry.bench.get();
    }
    if (bench == nullptr) {
      benches_.push_back({point, impl, std::make_unique<Workbench>(session_, point, std::vector<Impl>{impl})});
      bench = benches_.back().bench.get();
    }
    if (!bench->unavailable().empty()) {
      throw std::runtime_error(row_name(point, impl) + ": " + bench->unavailable().begin()->second);
    }
    bench->verify(bench->arms().front(), point.T);
    served_.push_back({point, bench, &bench->arms().front()});
  }

  Json sample(std::size_t index) {
    const Served& served = served_[index];
    const CallBuffers buffers = served.bench->buffers(served.point.T);
    const Sample result = take_sample([&] { served.arm->forward(buffers.x, buffers.y, served.point.T); }, buffers,
                                      kSettleSeconds, session_.options().sample_seconds);
    return Json()
        .set("point", index)
        .set("t_min", result.t_min)
        .set("t_median", result.t_median)
        .set("n", result.calls);
  }

  struct Bench {
    Point point;
    Impl impl;
    std::unique_ptr<Workbench> bench;
  };
  Session session_;
  std::vector<Bench> benches_;
  std::vector<Served> served_;
};

}  // namespace

int command_serve(const Options& options) {
  std::unique_ptr<Server> server;
  try {
    server = std::make_unique<Server>(options);
  } catch (const std::exception& error) {
    answer(Json().set("ready", false).set("error", error.what()));
    throw;
  }
  server->run();
  return kOk;
}

}  // namespace swiglu::bench
