// Real weights: every implementation and ISA against the double results that come with them.

#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "arm.hpp"
#include "commands.hpp"
#include "session.hpp"
#include "stats.hpp"
#include "support/real_layer.hpp"
#include "swiglu/feed_forward.h"

namespace swiglu::bench {
namespace {

struct Candidate {
  const Implementation* impl;
  Isa isa;
};

std::vector<Candidate> candidates(const Options& options, const MachineLimits& limits) {
  std::vector<Isa> isas = limits.isas;
  if (!options.isas.empty()) {
    isas.clear();
    for (const auto& name : options.isas) isas.push_back(name == "auto" ? resolve_isa() : parse_isa(name));
  }
  std::vector<Candidate> result;
  for (const Implementation* impl : options.impls.empty() ? implementations() : options.impls) {
    if (const std::string reason = impl->missing(); !reason.empty() && !options.impls.empty()) {
      throw UsageError(std::string("--impl: no ") + impl->name + ": " + reason);
    } else if (!reason.empty() || impl->family != Family::ffn ||
               (options.impls.empty() && impl->role == Role::reference)) {
      continue;  // the layers are SwiGLU blocks, and what they are compared with is double precision
    }
    if (impl->own_isa) {
      result.push_back({impl, limits.own_isa});
    } else {
      for (const Isa isa : isas) result.push_back({impl, isa});
    }
  }
  return result;
}

std::vector<std::string> default_files() {
  std::vector<std::string> files;
  for (const int layer : {0, 11, 28}) {
    const std::string path = testing::real_layer_path(layer);
    if (access(path.c_str(), R_OK) == 0) {
      files.push_back(path);
    } else {
      std::fprintf(stderr, "not here, left out: %s\n", path.c_str());
    }
  }
  if (files.empty()) throw UsageError("no safetensors file: name one, or set SWIGLU_DATA_DIR");
  return files;
}

/// BlockCase::weights() would do, but its file needs GoogleTest.
Weights view_of(const testing::BlockCase& block) {
  const auto matrix = [](const std::vector<float>& values) { return MatrixView{values.data(), Order::out_in, kDense}; };
  return Weights::separate(matrix(block.gate), matrix(block.up), matrix(block.down));
}

}  // namespace

int command_check(const Options& options) {
  Session session(options);
  const auto files = options.words.empty() ? default_files() : options.words;
  std::vector<std::size_t> threads = {1};
  if (session.limits().max_threads > 1) threads.push_back(session.limits().max_threads);
  bool all_ok = true;
  std::printf("relative error per token against double, limit of the median %.1e\n", options.max_median_error);
  for (const auto& path : files) {
    const auto layer = testing::load_real_layer(path);
    const std::string name = path.substr(path.find_last_of('/') + 1);
    for (const Candidate& candidate : candidates(options, session.limits())) {
      for (const std::size_t n : threads) {
        const Shape shape = fixed_shape(layer.block.d_model, layer.block.d_ff, "", "");
        Arm arm(*candidate.impl, candidate.isa, n, shape, view_of(layer.block), 1);
        arm.reserve(layer.T);
        std::vector<float> y(layer.x.size());
        arm.forward_on(0, layer.x.data(), y.data(), layer.T);
        const auto errors = testing::token_errors(layer, y);
        const double middle = median(errors), worst = quantile(errors, 1);
        const bool ok = middle <= options.max_median_error;  // false for NaN
        all_ok = all_ok && ok;
        std::printf("%-4s %s  %-15s %-8s %zu thread%s  median %.2e  max %.2e\n", ok ? "ok" : "FAIL", name.c_str(),
                    candidate.impl->name, swiglu::to_string(candidate.isa), n, n == 1 ? " " : "s", middle, worst);
        session.add_check(Json()
                              .set("file", name)
                              .set("impl", candidate.impl->name)
                              .set("isa", swiglu::to_string(candidate.isa))
                              .set("threads", n)
                              .set("tokens", layer.T)
                              .set("median_rel_err", middle)
                              .set("max_rel_err", worst)
                              .set("limit", options.max_median_error)
                              .set("ok", ok));
      }
    }
  }
  session.write();
  return all_ok ? kOk : kWrong;
}

}  // namespace swiglu::bench
