#pragma once

// The exact result of a block in double, and a bound for the error that any honest f32 evaluation stays within.
//
// Derivation. u = 2^-24 is the unit roundoff of f32, γ_n = n·u / (1 - n·u) (Higham, Accuracy and Stability of Numerical
// Algorithms, §3.1), η = 2^-149 the spacing of the subnormals, which bounds the absolute error of a rounding that
// underflows.
//
//   1. A sum of k products and a bias, in any order, with or without fused multiply-adds, has at most k + 1 roundings
//   on
//      the way of any term:   |ĝ - g| ≤ δg := γ_{k+1}·(|b| + Σ|x||w|) + (k+1)·η.   The same for up.
//   2. |silu'| ≤ 1.1 (its maximum is 1.0998, at g = 2.4), and the computed silu is within `silu_ulp` ulp, each at most
//      2u relative:   |ŝ - s| ≤ δs := 1.1·δg + 2u·silu_ulp·(|s| + 1.1·δg) + η·silu_ulp.
//   3. The product, rounded once:   |ĥ - h| ≤ δh := (1 + u)·(δs·(|up| + δup) + |s|·δup) + u·|h| + η.
//   4. The down sum of the ĥ, by step 1, plus what the δh bring in:
//         |ŷ - y| ≤ γ_{d_ff+1}·(|b| + Σ(|h| + δh)|w|) + Σ δh|w| + (d_ff+1)·η.
//   5. y += …: one more addition:   + u·(|y0| + |y| + the bound so far) + η.
//
// All sums above are evaluated in double; what that leaves out is 2^-29 of them.

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "support/block_case.hpp"

namespace swiglu::testing {

struct Expected {
  std::size_t width = 0;      ///< d_model
  std::vector<double> y;      ///< [T][width]
  std::vector<double> bound;  ///< [T][width]
};

/// `x` is dense [T][d_model]. `y0` (or null) is what an accumulating call adds to, dense. `silu_ulp`: the accuracy that
/// the backend under test promises for its SiLU.
Expected expected_block(const BlockCase& block, const std::vector<float>& x, std::size_t T,
                        const std::vector<float>* y0 = nullptr, double silu_ulp = 1.0);

/// Every element of y (rows `stride` apart) within its bound. NaN fails. `largest`: the largest |error| / bound seen.
::testing::AssertionResult within_bound(const Expected& expected, const float* y, std::size_t stride,
                                        double* largest = nullptr);
::testing::AssertionResult within_bound(const Expected& expected, const std::vector<float>& y,
                                        double* largest = nullptr);

/// γ_n of the derivation above.
double gamma(std::size_t n);

/// Bounds the error of `bias + Σ x(q)·w(q)`, step 1, given the sum of absolute values.
double dot_bound(std::size_t k, double absolute_sum);

/// silu in double, the definition; exact limits at ±∞ and NaN.
double exact_silu(double g);

}  // namespace swiglu::testing
