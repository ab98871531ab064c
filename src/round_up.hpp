#pragma once

#include <cstddef>

namespace swiglu {

/// The smallest multiple of `unit` that is at least `n`; the caller rules out overflow.
constexpr std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

}  // namespace swiglu
