#include "sweep.hpp"

#include <algorithm>
#include <regex>
#include <set>

#include "models.hpp"
#include "suggest.hpp"

namespace swiglu::bench {
namespace {

using Sizes = std::vector<std::size_t>;

using Impls = std::vector<const Implementation*>;

const Impls kAgainstOnednn = {&kNative, &kOnednnWide, &kOnednnPostOps};

/// Shapes × T × threads × ISA × cache.
struct Sweep {
  std::vector<Shape> shapes;
  Sizes tokens;
  std::vector<std::string> threads = {"1"};
  std::vector<std::string> isas = {"auto"};
  Impls impls = kAgainstOnednn;
  std::vector<Cache> caches = {Cache::wei};
};

Shape model_shape(const std::string& name, const std::string& set) {
  for (const Model& model : models()) {
    if (name == model.name) return fixed_shape(model.d_model, model.d_ff, model.name, set);
  }
  std::vector<std::string> known;
  for (const Model& model : models()) known.push_back(model.name);
  known.push_back("all");
  throw UsageError(not_one_of("--models", name, known));
}

std::vector<Shape> model_shapes(const std::vector<std::string>& names, const std::string& set) {
  std::vector<Shape> shapes;
  if (std::find(names.begin(), names.end(), "all") != names.end()) {
    if (names.size() > 1) throw UsageError("--models: 'all' goes alone");
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

/// d_ff at powers of two, whose strides meet the same cache sets, and one vector beside them.
std::vector<Shape> power_shapes(const Sizes& widths, const Sizes& powers) {
  constexpr std::size_t kVector = 16;
  std::vector<Shape> shapes;
  for (const auto d : widths) {
    for (const auto h : powers) {
      for (const auto beside : {h - kVector, h, h + kVector}) shapes.push_back(fixed_shape(d, beside, "", "pow2"));
    }
  }
  return shapes;
}

/// Sweeps with implementations of their own have shapes of their own: of a point that two share the first one counts.
std::vector<Sweep> preset_sweeps(const std::string& preset) {
  constexpr auto kExact = HiddenChoice::exact;
  const Sizes aligns = {1, 2, 4, 8, 16, 32, 64, 128, 256};
  const Sizes powers = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
  const Sizes few = {1, 16, 128};
  const std::vector<Cache> hot = {Cache::none};
  const Impls fusion = {&kNative, &kUnfused};
  const Impls functions = {&kNative, &kFfn2, &kFfn2Onednn};
  const Impls everybody = {&kNative, &kUnfused, &kOnednnWide, &kOnednnPostOps, &kOnednnPlain, &kOpenblas, &kEigen};
  const std::vector<std::string> rungs = {"portable", "avx2", "neon"};
  if (preset == "smoke") return {{model_shapes({"tiny-384", "SmolLM2-135M"}, "main"), {1, 16, 64}}};
  if (preset == "gate") return {{aligned_shapes(kExact, {1024, 4096}, {256, 1}, "main"), few}};
  if (preset == "report") {
    return {{main_shapes(), powers, {"1", "max"}},
            {aligned_shapes(kExact, {2048}, aligns, "align"), {1, 16, 256}},
            {power_shapes({2048}, {4096, 8192}), {1, 16, 128}},
            {model_shapes({"tiny-384", "Qwen2.5-0.5B", "Llama-3.2-1B", "Llama-3-8B"}, "models"), few},
            {model_shapes({"TinyLlama-1.1B"}, "ladder"), few, {"1"}, rungs, {&kNative}},
            {model_shapes({"SmolLM2-135M", "TinyLlama-1.1B"}, "hot"), few, {"1"}, {"auto"}, {&kNative}, hot},
            {aligned_shapes(kExact, {1024}, {128}, "fusion"), powers, {"1"}, {"auto"}, fusion},
            {aligned_shapes(kExact, {1024, 1536}, {64}, "ffn2"), few, {"1"}, {"auto"}, functions},
            {aligned_shapes(kExact, {1536}, {256}, "peers"), few, {"1"}, {"auto"}, everybody}};
  }
  if (preset == "full") {
    const Sizes widths = {512, 768, 1024, 1536, 2048, 3072, 4096, 5120, 8192};
    return {{main_shapes(), {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024}, {"1", "max"}},
            {aligned_shapes(kExact, widths, aligns, "align"), powers},
            {power_shapes(widths, {2048, 4096, 8192}), powers},
            {model_shapes({"all"}, "models"), powers, {"1", "max"}},
            {main_shapes(), powers, {"1"}, rungs, {&kNative}},
            {model_shapes({"all"}, "hot"), powers, {"1"}, {"auto"}, {&kNative}, hot},
            {aligned_shapes(kExact, {640, 1280, 2560}, {128}, "fusion"), powers, {"1", "max"}, {"auto"}, fusion},
            {aligned_shapes(kExact, {640, 1280, 2560}, {64}, "ffn2"), powers, {"1"}, {"auto"}, functions},
            {aligned_shapes(kExact, {1792, 3584}, {256}, "peers"), powers, {"1", "max"}, {"auto"}, everybody}};
  }
  throw UsageError(not_one_of("--preset", preset, {"smoke", "gate", "report", "full"}));
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

Impls impls_of(const Options& options, const Sweep& sweep, const MachineLimits& limits, Isa isa) {
  Impls impls;
  for (const Implementation* impl : options.impls.empty() ? sweep.impls : options.impls) {
    // What picks its own ISA, once per process, is a contestant only of kernels of that ISA.
    if (impl->own_isa && isa != limits.own_isa) continue;
    // Asked for by name, it must be there; a preset takes what there is.
    if (const std::string reason = impl->missing(); !reason.empty()) {
      if (options.impls.empty()) continue;
      throw UsageError(std::string("--impl: no ") + impl->name + ": " + reason);
    }
    impls.push_back(impl);
  }
  return impls;
}

/// What the command line, or one line of --batch, asks for.
std::vector<Sweep> sweeps_of(const Options& options) {
  if (options.d_model.empty() && options.models.empty()) return preset_sweeps(options.preset);
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
  return {sweep};
}

void add_points(const Options& options, const MachineLimits& limits, const std::regex& filter,
                std::set<std::string>& names, std::vector<Point>& points) {
  for (auto& sweep : sweeps_of(options)) {
    if (!options.tokens.empty()) sweep.tokens = options.tokens;
    if (!options.threads.empty()) sweep.threads = options.threads;
    if (!options.isas.empty()) sweep.isas = options.isas;
    if (options.cache) sweep.caches = {*options.cache};
    for (const Isa isa : resolve_isas(sweep.isas, limits, !options.isas.empty())) {
      for (const auto threads : resolve_threads(sweep.threads, limits.max_threads)) {
        for (const Cache cache : sweep.caches) {
          for (const auto& shape : sweep.shapes) {
            for (const auto T : sweep.tokens) {
              Point point{shape, T, threads, isa, cache, {}};
              point.shape.activation = options.activation;
              for (const Implementation* impl : impls_of(options, sweep, limits, isa)) {
                if (std::regex_search(row_name(point, *impl), filter)) point.impls.push_back(impl);
              }
              // A point that two sweeps share is measured once.
              if (!point.impls.empty() && names.insert(row_name(point, kNative)).second) points.push_back(point);
            }
          }
        }
      }
    }
  }
}

}  // namespace

std::vector<Isa> asked_isas(const Options& options, const MachineLimits& limits) {
  return options.isas.empty() ? limits.isas : resolve_isas(options.isas, limits, true);
}

std::vector<std::size_t> resolve_threads(const std::vector<std::string>& words, std::size_t max_threads) {
  Sizes threads;
  for (const auto& word : words) {
    const std::size_t n =
        word == "max" ? max_threads : parse_integer("--threads", word, 1, SIZE_MAX, "a positive integer or max");
    if (std::find(threads.begin(), threads.end(), n) == threads.end()) threads.push_back(n);
  }
  return threads;
}

std::size_t preset_rounds(const std::string& preset) { return preset == "full" ? 15 : 9; }

std::vector<Point> build_points(const Options& options, const MachineLimits& limits) {
  const std::regex filter(options.filter);
  std::vector<Point> points;
  std::set<std::string> names;
  if (options.batch.empty()) add_points(options, limits, filter, names, points);
  for (const Options& sweep : options.batch) add_points(sweep, limits, filter, names, points);
  return points;
}

}  // namespace swiglu::bench
