#include "swiglu/hidden_width.h"

#include <algorithm>
#include <limits>
#include <string>

#include "swiglu/error.h"

namespace swiglu {
namespace {

constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max();

/// Rounds 8·d_model/3 up to `multiple_of` by `rule`; false if the width does not fit. Both arguments ≥ 1.
bool round_width(std::size_t d_model, std::size_t multiple_of, HiddenRule rule, std::size_t& width) {
  // 8·d = 24·(d/3) + 8·(d mod 3), divided by 3 term by term so that 8·d itself need not fit.
  const std::size_t thirds = d_model / 3;
  if (thirds > (kMaxSize - 6) / 8) return false;
  // ⌈⌈a⌉/m⌉ = ⌈a/m⌉ for integer m, so the exact rule may round to an integer first, too.
  const std::size_t base = 8 * thirds + (8 * (d_model % 3) + (rule == HiddenRule::exact ? 2 : 0)) / 3;
  const std::size_t units = base / multiple_of + (base % multiple_of != 0);
  if (units > kMaxSize / multiple_of) return false;
  width = units * multiple_of;
  return true;
}

/// The multiple_of nearest to the given one (the larger of two) whose width divides by `ranks`; 0 if there is none.
std::size_t nearest_multiple_of(std::size_t d_model, std::size_t multiple_of, HiddenRule rule, std::size_t ranks) {
  const auto works = [&](std::size_t candidate) {
    std::size_t width = 0;
    return round_width(d_model, candidate, rule, width) && width % ranks == 0;
  };
  // A multiple of `ranks` is at most `ranks` away and works for every d_model. Nearer ones are looked for only as far
  // as anyone would count ranks, so that absurd arguments fail fast as well.
  constexpr std::size_t kSearch = 1 << 16;
  for (std::size_t distance = 1; distance <= std::min(ranks, kSearch); ++distance) {
    if (multiple_of <= kMaxSize - distance && works(multiple_of + distance)) return multiple_of + distance;
    if (multiple_of > distance && works(multiple_of - distance)) return multiple_of - distance;
  }
  const std::size_t below = multiple_of / ranks * ranks;
  const std::size_t candidate = below > 0 ? below : ranks;
  return works(candidate) ? candidate : 0;
}

}  // namespace

std::size_t hidden_width(std::size_t d_model, std::size_t multiple_of, HiddenRule rule, std::size_t ranks) {
  if (d_model == 0) throw InvalidArgument("d_model = 0: must be at least 1");
  if (multiple_of == 0) throw InvalidArgument("multiple_of = 0: must be at least 1");
  if (ranks == 0) throw InvalidArgument("ranks = 0: must be at least 1");
  if (rule != HiddenRule::floor && rule != HiddenRule::exact) {
    throw InvalidArgument("rule = " + std::to_string(static_cast<int>(rule)) + ": must be floor or exact");
  }

  std::size_t width = 0;
  if (!round_width(d_model, multiple_of, rule, width)) {
    throw InvalidArgument("d_model = " + std::to_string(d_model) + ", multiple_of = " + std::to_string(multiple_of) +
                          ": the hidden width overflows " + std::to_string(8 * sizeof(std::size_t)) + " bits");
  }
  if (width % ranks != 0) {
    const std::size_t other = nearest_multiple_of(d_model, multiple_of, rule, ranks);
    throw InvalidArgument("ranks = " + std::to_string(ranks) + ": the hidden width " + std::to_string(width) +
                          " (d_model = " + std::to_string(d_model) + ", multiple_of = " + std::to_string(multiple_of) +
                          ") does not divide by it; " +
                          (other == 0 ? std::string("no multiple_of gives a width that does")
                                      : "the nearest multiple_of that works is " + std::to_string(other)));
  }
  return width;
}

std::uint64_t parameter_count(std::uint64_t d_model, std::uint64_t d_ff, bool gate_up_bias, bool down_bias) {
  std::uint64_t count = 0;
  std::uint64_t gate_up_biases = 0;
  const bool overflow = __builtin_mul_overflow(d_model, d_ff, &count) || __builtin_mul_overflow(count, 3, &count) ||
                        __builtin_mul_overflow(d_ff, gate_up_bias ? 2 : 0, &gate_up_biases) ||
                        __builtin_add_overflow(count, gate_up_biases, &count) ||
                        __builtin_add_overflow(count, down_bias ? d_model : 0, &count);
  if (overflow) {
    throw InvalidArgument("d_model = " + std::to_string(d_model) + ", d_ff = " + std::to_string(d_ff) +
                          ": the parameter count overflows 64 bits");
  }
  return count;
}

}  // namespace swiglu
