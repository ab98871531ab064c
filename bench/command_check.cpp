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
  const std::vector<Isa> isas = asked_isas(options, limits);
  std::vector<Candidate> result;
  for (const Implementation* impl : options.impls.empty() ? implementations() : options.impls) {
    const bool asked = !options.impls.empty();
    const std::string reason = impl->family == Family::ffn ? impl->missing() : "the layers to check are gated blocks";
    if (asked && !reason.empty()) throw UsageError(std::string("--impl: no ") + impl->name + ": " + reason);
    if (!reason.empty() || (!asked && impl->role == Role::reference)) continue;  // that is what they are compared with
    if (impl->own_isa) {
      result.push_back({impl, limits.own_isa});
    } else {
      for (const Isa isa : isas) result.push_back({impl, isa});
    }
  }
  return result;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.find_last_of('/')); }
std::string name_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::vector<std::string> default_files() {
  std::vector<std::string> files;
  std::string missing, folder;
  for (const int layer : {0, 11, 28}) {
    const std::string path = testing::real_layer_path(layer);
    if (access(path.c_str(), R_OK) == 0) {
      files.push_back(path);
    } else {
      missing += (missing.empty() ? "" : ", ") + name_of(path);
      folder = folder_of(path);
    }
  }
  if (missing.empty()) return files;
  const std::string hint = missing + " not in " + folder +
                           " (set SWIGLU_DATA_DIR to the folder above such a smollm2/; tests/data/README.md says what "
                           "is in these files)";
  if (files.empty()) throw UsageError("nothing to check: " + hint);
  std::fprintf(stderr, "left out: %s\n", hint.c_str());
  return files;
}

struct Layer {
  std::string name;
  testing::RealLayer content;
};

std::vector<Layer> load(const std::vector<std::string>& files) {
  std::vector<Layer> layers;
  for (const auto& path : files) layers.push_back({name_of(path), testing::load_real_layer(path)});
  return layers;
}

/// BlockCase::weights() would do, but its file needs GoogleTest.
Weights view_of(const testing::BlockCase& block) {
  const auto matrix = [](const std::vector<float>& values) { return MatrixView{values.data(), Order::out_in, kDense}; };
  return Weights::separate(matrix(block.gate), matrix(block.up), matrix(block.down));
}

}  // namespace

int command_check(const Options& options) {
  Session session(options);
  const auto to_check = candidates(options, session.limits());
  const auto layers = load(options.words.empty() ? default_files() : options.words);
  std::vector<std::size_t> threads = {1};
  if (session.limits().max_threads > 1) threads.push_back(session.limits().max_threads);
  bool all_ok = true;
  std::printf("relative error per token against double, limit of the median %.1e\n", options.max_median_error);
  for (const auto& [name, layer] : layers) {
    for (const Candidate& candidate : to_check) {
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
