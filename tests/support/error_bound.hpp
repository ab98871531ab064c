#pragma once

// The exact result of a block in double, and a bound for the error that any honest f32 evaluation stays within.
//
// Derivation. u = 2^-24 is the unit roundoff of f32, γ_n = n·u / (1 - n·u) (Higham, Accuracy and Stability of Numerical
// Algorithms, §3.1), η = 2^-149 the spacing of the subnormals, which bounds the absolute error of a rounding that
// underflows. hidden = A(g)·V(u'), the two factors of the activation (u' is the up value): V(u') = u' for most presets.
//
//   1. A sum of k products and a bias, in any order, with or without fused multiply-adds, has at most k + 1 roundings
//      on the way of any term:   |ĝ - g| ≤ δg := γ_{k+1}·(|b| + Σ|x||w|) + (k+1)·η.   The same for up: δu.
//   2. The computed factor is within `ulp` ulp of A(ĝ), each at most 2u relative or η, and A moves by at most
//      L·|ĝ - g|, where L = max |A'| on [g - δg, g + δg] (slope_bound.hpp):
//         |Â - A| ≤ δA := L·δg + 2u·ulp·(|A| + L·δg) + ulp·η.
//      This is the absolute form. Relative to A it says κ·δg/|g| + 2u·ulp, with the condition number κ = |g·A'/A|:
//      about 1 for large g, |g| for g → -∞ (silu, GELU), without bound where A has a zero besides g = 0. Absolute
//      errors are what the sums below need, and they need no such case.
//   3. The same for V, with ulp = 0 where V is exact (u', clamps), and |V'| for |A'|:   δV.
//   4. The product, rounded once:   |ĥ - h| ≤ δh := (1 + u)·(δA·(|V| + δV) + |A|·δV) + u·|h| + η.
//   5. The down sum of the ĥ, by step 1, plus what the δh bring in:
//         |ŷ - y| ≤ γ_{d_ff+1}·(|b| + Σ(|h| + δh)|w|) + Σ δh|w| + (d_ff+1)·η.
//   6. y += …: one more addition:   + u·(|y0| + |y| + the bound so far) + η.
//
// All sums above are evaluated in double; what that leaves out is 2^-29 of them. error_bound_test.cpp shows inputs that
// come close to the bound, for few and for very many terms.

#include <gtest/gtest.h>
#include <swiglu/activation.h>

#include <cstddef>
#include <vector>

#include "support/block_case.hpp"

namespace swiglu::testing {

struct Expected {
  std::size_t width = 0;      ///< d_model
  std::vector<double> y;      ///< [T][width]
  std::vector<double> bound;  ///< [T][width]
};

/// What a block computes and how well.
struct Promise {
  Activation activation;
  double ulp = 0.55;  ///< largest error of the backend's activation function
};

/// `x` is dense [T][d_model]. `y0` (or null) is what an accumulating call adds to, dense.
Expected expected_block(const BlockCase& block, const std::vector<float>& x, std::size_t T,
                        const std::vector<float>* y0 = nullptr, const Promise& promise = {});

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
