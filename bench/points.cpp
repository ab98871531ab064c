#include "points.hpp"

#include <cmath>

#include "suggest.hpp"
#include "swiglu/hidden_width.h"

namespace swiglu::bench {

const char* to_string(Cache cache) { return cache == Cache::wei ? "wei" : cache == Cache::none ? "none" : "all"; }

const char* to_string(Family family) { return family == Family::ffn ? "ffn" : "ffn2"; }

Cache parse_cache(const std::string& name) {
  for (const Cache cache : {Cache::none, Cache::wei, Cache::all}) {
    if (name == to_string(cache)) return cache;
  }
  throw UsageError(not_one_of("--cold-cache", name, {"none", "wei", "all"}));
}

HiddenChoice parse_hidden_choice(const std::string& name) {
  if (name == "exact") return HiddenChoice::exact;
  if (name == "round-up") return HiddenChoice::round_up;
  if (name == "fixed") return HiddenChoice::fixed;
  throw UsageError(not_one_of("--h-rule", name, {"exact", "round-up", "fixed"}));
}

std::size_t swept_hidden(HiddenChoice choice, std::size_t d, std::size_t m) {
  if (choice == HiddenChoice::round_up) return hidden_width(d, m);
  // odd multiples are m·(2i+1); nearest to 8d/3
  const double ideal = 8.0 * static_cast<double>(d) / 3.0;
  const double i = std::round((ideal / static_cast<double>(m) - 1) / 2);
  return m * (2 * static_cast<std::size_t>(i < 0 ? 0 : i) + 1);
}

Shape fixed_shape(std::size_t d, std::size_t h, std::string model, std::string set) {
  std::size_t m = 1;
  while (m < 256 && h % (2 * m) == 0) m *= 2;
  return {d, h, m, std::move(model), std::move(set)};
}

Shape shape_of(const Shape& shape, Family family) {
  if (family == Family::ffn) return shape;
  Shape two = fixed_shape(shape.d, 4 * shape.d, shape.model, shape.set);
  two.activation = shape.activation;
  return two;
}

std::string row_name(const Point& point, const Implementation& impl) {
  const auto text = [](std::size_t v) { return std::to_string(v); };
  const Shape shape = shape_of(point.shape, impl.family);
  const std::string act = shape.activation.empty() ? "" : "/act:" + shape.activation;
  return std::string(to_string(impl.family)) + "/d:" + text(shape.d) + "/h:" + text(shape.h) + "/m:" + text(shape.m) +
         act + "/T:" + text(point.T) + "/impl:" + impl.name + "/isa:" + swiglu::to_string(point.isa) +
         "/dt:f32/thr:" + text(point.threads) + "/cache:" + to_string(point.cache);
}

}  // namespace swiglu::bench
