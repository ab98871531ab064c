// Contract C3 made comparable between machines: "case hash" lines of f32 results for one ISA, the one that SWIGLU_ISA
// or the machine gives. Equal output of avx2, avx512 and neon is equal bits.
//
//   swiglu_hashes            prints the lines
//   swiglu_hashes FILE       prints nothing but differences to FILE
// Exit code: 0 (equal), 1 (different), 2 (usage, or cannot), 77 (this machine cannot run the forced ISA).

#include <swiglu/swiglu.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/activations.hpp"
#include "support/bits.hpp"
#include "support/block_case.hpp"
#include "support/glu_arrays.hpp"
#include "support/hash.hpp"
#include "support/random.hpp"

namespace swiglu::testing {
namespace {

constexpr int kCannotRunHere = 77;

void print(std::ostream& out, const std::string& name, const std::vector<float>& values) {
  char line[128];
  std::snprintf(line, sizeof line, "%s %016llx\n", name.c_str(),
                static_cast<unsigned long long>(hash_floats(values.data(), values.size())));
  out << line;
}

// One case for NaN: payloads are outside the contract.
std::vector<float> without_payloads(std::vector<float> values) {
  for (float& value : values) {
    if (std::isnan(value)) value = std::numeric_limits<float>::quiet_NaN();
  }
  return values;
}

void append(std::vector<float>& to, const std::vector<float>& values) {
  to.insert(to.end(), values.begin(), values.end());
}

void hash_glu_family(std::ostream& out) {
  const GluArrays inputs[] = {ordinary_arrays(5003, 1), arrays_of_all_exponents(5003, 2), special_arrays()};
  const Isa isa = resolve_isa();
  for (const Activation& a : all_kinds_of_activations()) {
    std::vector<float> hidden, gradients;
    for (const GluArrays& in : inputs) {
      append(hidden, glu_of(a, in, isa));
      const GluGradients both = glu_backward_of(a, in, isa);
      append(gradients, both.gate);
      append(gradients, both.up);
    }
    print(out, "glu/" + to_string(a), without_payloads(hidden));
    print(out, "glu_backward/" + to_string(a), without_payloads(gradients));
  }
}

void hash_functions(std::ostream& out) {
  std::vector<float> x;
  for (std::uint64_t bits = 0; bits <= 0xffffffffu; bits += 99991) {
    x.push_back(float_of(static_cast<std::uint32_t>(bits)));
  }
  constexpr std::pair<const char*, Function> kFunctions[] = {
      {"silu", Function::silu},         {"silu_slope", Function::silu_slope},
      {"sigmoid", Function::sigmoid},   {"tanh", Function::tanh},
      {"exp", Function::exp},           {"gelu_tanh", Function::gelu_tanh},
      {"gelu_erf", Function::gelu_erf}, {"gelu_quick", Function::gelu_quick}};
  for (const auto& [name, f] : kFunctions) {
    std::vector<float> result(x.size());
    apply(f, x.data(), result.data(), x.size());
    print(out, std::string("apply/") + name, without_payloads(result));
  }
}

// No NaN results: their payloads are outside the contract.
void hash_silu(std::ostream& out) {
  std::vector<float> g;
  for (std::uint64_t bits = 0; bits <= 0xffffffffu; bits += 9973) {
    const float value = float_of(static_cast<std::uint32_t>(bits));
    if (!std::isnan(value)) g.push_back(value);
  }
  std::vector<float> result(g.size());
  silu(g.data(), result.data(), g.size());
  print(out, "silu", result);
  const std::vector<float> gate = random_floats(10007, 1, 30.0f), up = random_floats(10007, 2, 10.0f);
  result.resize(gate.size());
  silu_mul(gate.data(), up.data(), result.data(), gate.size());
  print(out, "silu_mul", result);
}

// One block per preset: the same kernels, called by the tiles.
void hash_activation_blocks(std::ostream& out) {
  const BlockCase block = random_block(45, 70);
  const std::vector<float> x = random_floats(15 * block.d_model, 3, 2.0f);
  for (const Activation& a : typical_activations()) {
    Options options;
    options.activation = a;
    const FeedForward ff(block.d_model, block.d_ff, block.weights(), options);
    print(out, "block/" + to_string(a), forward(ff, x, 15));
  }
}

void hash_blocks(std::ostream& out) {
  struct Shape {
    std::size_t d_model, d_ff;
  };
  for (const Shape& shape :
       {Shape{1, 1}, {3, 5}, {16, 16}, {17, 31}, {45, 70}, {64, 128}, {213, 419}, {576, 1536}, {1100, 600}}) {
    for (unsigned biases : {unsigned{kNoBias}, unsigned{kAllBiases}}) {
      const BlockCase block = random_block(shape.d_model, shape.d_ff, biases);
      const FeedForward ff(block.d_model, block.d_ff, block.weights());
      for (std::size_t T : {1, 2, 3, 5, 15, 40}) {
        const std::vector<float> x = random_floats(T * block.d_model, T, 2.0f), y0 = random_floats(x.size(), T + 1);
        std::ostringstream name;
        name << "block/d_model:" << shape.d_model << "/d_ff:" << shape.d_ff << "/biases:" << biases << "/T:" << T;
        print(out, name.str(), forward(ff, x, T));
        if (T == 5) print(out, name.str() + "/accumulate", forward_accumulate(ff, x, y0, T));
      }
    }
  }
}

// The cases in which `lines` and the file differ, on stderr.
bool equal_to_file(const std::string& lines, const char* path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string(path) + ": cannot be opened");
  std::istringstream ours(lines);
  std::string a, b;
  std::size_t different = 0;
  while (true) {
    const bool have_a = static_cast<bool>(std::getline(ours, a)), have_b = static_cast<bool>(std::getline(file, b));
    if (!have_a && !have_b) break;
    if (have_a && have_b && a == b) continue;
    std::cerr << "  here:     " << (have_a ? a : "(nothing)") << "\n  expected: " << (have_b ? b : "(nothing)") << "\n";
    ++different;
  }
  if (different > 0) std::cerr << different << " cases differ from " << path << "\n";
  return different == 0;
}

int run(const char* expected_file) {
  std::cerr << "isa: " << to_string(resolve_isa()) << "\n";
  std::ostringstream lines;
  hash_silu(lines);
  hash_blocks(lines);
  hash_functions(lines);
  hash_glu_family(lines);
  hash_activation_blocks(lines);
  if (expected_file == nullptr) {
    std::cout << lines.str();
    return 0;
  }
  return equal_to_file(lines.str(), expected_file) ? 0 : 1;
}

}  // namespace
}  // namespace swiglu::testing

int main(int argc, char** argv) {
  if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
    std::cerr << "usage: swiglu_hashes [EXPECTED_FILE]     the ISA comes from SWIGLU_ISA\n";
    return 2;
  }
  try {
    return swiglu::testing::run(argc == 2 ? argv[1] : nullptr);
  } catch (const swiglu::Unsupported& error) {
    std::cerr << "swiglu_hashes: " << error.what() << "\n";
    return swiglu::testing::kCannotRunHere;
  } catch (const std::exception& error) {
    std::cerr << "swiglu_hashes: " << error.what() << "\n";
    return 2;
  }
}
