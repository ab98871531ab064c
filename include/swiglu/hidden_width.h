#pragma once

#include <cstddef>
#include <cstdint>

#include "swiglu/export.h"

namespace swiglu {

/// How 8·d_model/3 becomes an integer before it is rounded up to multiple_of. Both are in use, and they differ for
/// some widths: d_model = 4096, multiple_of = 1 gives 10922 or 10923.
enum class HiddenRule {
  floor,  ///< multiple_of · ceil(⌊8·d_model/3⌋ / multiple_of): Meta's LLaMA code, int(2·(4·d_model)/3). Default.
  exact,  ///< multiple_of · ceil((8·d_model/3) / multiple_of), 8·d_model/3 as a real number
};

/// d_ff that gives a gated block the parameters of a two-matrix FFN of width 4·d_model (3·d·h = 8·d²).
/// Example: hidden_width(4096, 256) = 11008. `ranks`: the width must also divide by the tensor-parallel ranks.
/// Throws InvalidArgument for zero arguments, for a width that does not divide by `ranks` (the message says the width
/// and the nearest multiple_of that would do), or on overflow.
SWIGLU_API std::size_t hidden_width(std::size_t d_model, std::size_t multiple_of = 256,
                                    HiddenRule rule = HiddenRule::floor, std::size_t ranks = 1);

/// 3·d_model·d_ff, plus the biases that are present (2·d_ff for gate and up together, d_model for down).
/// parameter_count(4096, 11008) = 135,266,304. Throws InvalidArgument on overflow of 64 bits.
SWIGLU_API std::uint64_t parameter_count(std::uint64_t d_model, std::uint64_t d_ff, bool gate_up_bias = false,
                                         bool down_bias = false);

}  // namespace swiglu
