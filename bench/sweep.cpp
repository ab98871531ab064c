#include "sweep.hpp"

#include <algorithm>
#include <regex>
#include <set>

#include "models.hpp"

namespace swiglu::bench {
namespace {

using Sizes = std::vector<std::size_t>;

/// Shapes × T × threads × ISA.
struct Sweep {
  std::vector<Shape> shapes;
  Sizes tokens;
  std::vector<std::string> threads = {"1"};
  std::vector<std::string> isas = {"auto"};
  bool rivals = true;
};

Shape model_shape(const std::string& name, const std::string& set) {
  for (const Model& model : models()) {
    if (name == model.name) return fixed_shape(model.d_model, model.d_ff, model.name, set);
  }
  std::string known;
  for (const Model& model : models()) known += std::string(known.empty() ? "" : ", ") + model.name;
  throw UsageError("--models: '" + name + "' is not one of " + known + ", all");
}

std::vector<Shape> model_shapes(const std::vector<std::string>& names, const std::string& set) {
  std::vector<Shape> shapes;
  if (names == std::vector<std::string>{"all"}) {
    for (const Model& model : models()) shapes.push_back(model_shape(model.name, set));
    return shapes;
  }
  for (const auto& name : names) shapes.push_back(model_shape(name, set));
  return shapes;
}

std::vector<Shape> aligned_shapes(HiddenChoice choice, const Sizes& widths, const Sizes& aligns, const char* set) {
  std::vector<Shape> shapes;
  for (const auto d : widths) {
    for (const auto m : aligns) shapes.push_back({d, swept_hidden(choice, d, m), m, "", set});
  }
  return shapes;
}

std::vector<Shape> main_shapes() {
  auto shapes = model_shapes({"SmolLM2-135M"}, "main");
  const auto swept = aligned_shapes(HiddenChoice::exact, {1024}, {256}, "main");
  shapes.insert(shapes.end(), swept.begin(), swept.end());
  const auto large = model_shapes({"TinyLlama-1.1B", "LLaMA-7B"}, "main");
  shapes.insert(shapes.end(), large.begin(), large.end());
  return shapes;
}

std::vector<Sweep> preset_sweeps(const std::string& preset) {
  constexpr auto kExact = HiddenChoice::exact;
  const Sizes aligns = {1, 2, 4, 8, 16, 32, 64, 128, 256};
  const Sizes powers = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
  if (preset == "smoke") return {{model_shapes({"tiny-384", "SmolLM2-135M"}, "main"), {1, 16, 64}}};
  if (preset == "gate") {
    return {{aligned_shapes(kExact, {1024}, {256}, "main"), {1, 16, 128}},
            {aligned_shapes(kExact, {2048}, {1}, "align"), {16}}};
  }
  if (preset == "report") {
    return {{main_shapes(), powers, {"1", "max"}},
            {aligned_shapes(kExact, {2048}, aligns, "align"), {1, 16, 256}},
            {model_shapes({"tiny-384", "Qwen2.5-0.5B", "Llama-3.2-1B", "Llama-3-8B"}, "models"), {1, 16, 128}},
            {model_shapes({"TinyLlama-1.1B"}, "ladder"), {1, 16, 128}, {"1"}, {"portable", "avx2", "neon"}, false}};
  }
  if (preset == "full") {
    Sizes widths = {512, 768, 1024, 1536, 2048, 3072, 4096, 5120, 8192};
    return {{main_shapes(), {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024}, {"1", "max"}},
            {aligned_shapes(kExact, widths, aligns, "align"), powers},
            {model_shapes({"all"}, "models"), powers, {"1", "max"}},
            {main_shapes(), powers, {"1"}, {"portable", "avx2", "neon"}, false}};
  }
  throw UsageError("--preset: '" + preset + "' is not one of smoke, report, gate, full");
}

/// Empty: the ISA is part of a preset's ladder, but this machine lacks it or it is the best one anyway.
std::vector<Isa> resolve_isas(const std::vector<std::string>& names, const MachineLimits& limits, bool asked_for) {
  std::vector<Isa> isas;
  for (const auto& name : names) {
    const Isa isa = name == "auto" ? resolve_isa() : parse_isa(name);
    const bool runs = std::find(limits.isas.begin(), limits.isas.end(), isa) != limits.isas.end();
    if (!runs && asked_for) throw UsageError("--isa: this machine or this build cannot run " + name);
    if (runs && (asked_for || name == "auto" || isa != limits.isas.back())) isas.push_back(isa);
  }
  return isas;
}

Sizes resolve_threads(const std::vector<std::string>& words, std::size_t max_threads) {
  Sizes threads;
  for (const auto& word : words) {
    const std::size_t n = word == "max" ? max_threads : parse_size("--threads", word);
    if (std::find(threads.begin(), threads.end(), n) == threads.end()) threads.push_back(n);
  }
  return threads;
}

std::vector<Impl> impls_of(const Options& options, const Sweep& sweep, const MachineLimits& limits, Isa isa) {
  // oneDNN picks its own ISA once per process, so it is a rival only of kernels of that ISA.
  const bool comparable = limits.onednn && isa == limits.onednn_isa;
  if (options.impls.empty()) {
    if (!sweep.rivals || !comparable) return {Impl::native};
    return {Impl::native, Impl::onednn_wide, Impl::onednn_post_ops};
  }
  std::vector<Impl> impls;
  for (const Impl impl : options.impls) {
    if (is_onednn(impl) && !limits.onednn) {
      throw UsageError(std::string("--impl: this build has no oneDNN backend, so no ") + to_string(impl));
    }
    if (!is_onednn(impl) || comparable) impls.push_back(impl);
  }
  return impls;
}

}  // namespace

std::size_t preset_rounds(const std::string& preset) { return preset == "full" ? 15 : 9; }

std::vector<Point> build_points(const Options& options, const MachineLimits& limits) {
  std::vector<Sweep> sweeps;
  if (!options.d_model.empty() || !options.models.empty()) {
    Sweep sweep;
    sweep.tokens = {1, 16, 128};
    sweep.shapes = model_shapes(options.models, "models");
    if (options.h_rule == HiddenChoice::fixed) {
      for (const auto d : options.d_model) {
        for (const auto h : options.hidden) sweep.shapes.push_back(fixed_shape(d, h, "", "main"));
      }
    } else {
      const Sizes aligns = options.align.empty() ? Sizes{256} : options.align;
      const auto shapes = aligned_shapes(options.h_rule, options.d_model, aligns, aligns.size() > 1 ? "align" : "main");
      sweep.shapes.insert(sweep.shapes.end(), shapes.begin(), shapes.end());
    }
    sweeps = {sweep};
  } else {
    sweeps = preset_sweeps(options.preset);
  }

  const std::regex filter(options.filter);
  std::vector<Point> points;
  std::set<std::string> names;  // a point that two sweeps share is measured once
  for (auto& sweep : sweeps) {
    if (!options.tokens.empty()) sweep.tokens = options.tokens;
    if (!options.threads.empty()) sweep.threads = options.threads;
    if (!options.isas.empty()) sweep.isas = options.isas;
    for (const Isa isa : resolve_isas(sweep.isas, limits, !options.isas.empty())) {
      for (const auto threads : resolve_threads(sweep.threads, limits.max_threads)) {
        for (const auto& shape : sweep.shapes) {
          for (const auto T : sweep.tokens) {
            Point point{shape, T, threads, isa, options.cache, {}};
            for (const Impl impl : impls_of(options, sweep, limits, isa)) {
              if (std::regex_search(row_name(point, impl), filter)) point.impls.push_back(impl);
            }
            if (!point.impls.empty() && names.insert(row_name(point, Impl::native)).second) points.push_back(point);
          }
        }
      }
    }
  }
  return points;
}

}  // namespace swiglu::bench
