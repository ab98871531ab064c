#pragma once

// Bits of floats: making and comparing them.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/float_bits.hpp"

namespace swiglu::testing {

/// A quiet NaN with a payload that no arithmetic produces: it marks memory nobody may write.
float canary();
bool all_canaries(const float* p, std::size_t n);

/// memcmp of two arrays; a failure names the first differing element.
::testing::AssertionResult same_bits(const float* a, const float* b, std::size_t n);
::testing::AssertionResult same_bits(const std::vector<float>& a, const std::vector<float>& b);

}  // namespace swiglu::testing
