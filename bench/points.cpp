#include "points.hpp"

#include <cmath>

#include "lists.hpp"
#include "swiglu/hidden_width.h"

namespace swiglu::bench {

const char* to_string(Cache cache) { return cache == Cache::wei ? "wei" : "none"; }

const char* to_string(Impl impl) {
  switch (impl) {
    case Impl::native:
      return "native";
    case Impl::onednn_wide:
      return "onednn-wide";
    case Impl::onednn_post_ops:
      return "onednn-post_ops";
    case Impl::reference:
      return "reference";
  }
  return "";
}

Impl parse_impl(const std::string& name) {
  for (const Impl impl : {Impl::native, Impl::onednn_wide, Impl::onednn_post_ops, Impl::reference}) {
    if (name == to_string(impl)) return impl;
  }
  throw UsageError("--impl: '" + name + "' is not one of native, onednn-wide, onednn-post_ops, reference");
}

HiddenChoice parse_hidden_choice(const std::string& name) {
  if (name == "exact") return HiddenChoice::exact;
  if (name == "round-up") return HiddenChoice::round_up;
  if (name == "fixed") return HiddenChoice::fixed;
  throw UsageError("--h-rule: '" + name + "' is not one of exact, round-up, fixed");
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

std::string row_name(const Point& point, Impl impl) {
  const auto text = [](std::size_t v) { return std::to_string(v); };
  return "ffn/d:" + text(point.shape.d) + "/h:" + text(point.shape.h) + "/m:" + text(point.shape.m) +
         "/T:" + text(point.T) + "/impl:" + to_string(impl) + "/isa:" + swiglu::to_string(point.isa) +
         "/dt:f32/thr:" + text(point.threads) + "/cache:" + to_string(point.cache);
}

}  // namespace swiglu::bench
