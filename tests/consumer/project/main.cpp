#include <swiglu/swiglu.h>

#include <cmath>
#include <cstdio>

// A program of somebody else: one weight each, x = 1, so y = silu(1).
int main() {
  const float one = 1.0f;
  swiglu::Weights weights;
  weights.gate.data = weights.up.data = weights.down.data = &one;
  const swiglu::FeedForward block(1, 1, weights);
  float y = 0.0f;
  block.forward({&one}, {&y}, 1, block.make_workspace(1));
  std::printf("swiglu %s on %s: y = %.9g\n", swiglu::version(), to_string(block.isa()), y);
  return std::fabs(y - 0.731058579f) < 1e-6f ? 0 : 1;
}
