// Three layers of SmolLM2-135M with the activations that really flow through them: error per token against double.

#include <gtest/gtest.h>
#include <swiglu/swiglu.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "support/bits.hpp"
#include "support/error_bound.hpp"
#include "support/isa_param.hpp"
#include "support/real_layer.hpp"
#include "support/safetensors.hpp"

namespace swiglu::testing {
namespace {

// Layer 11 is part of the sources; the others may be absent, which is a visible skip.
bool available(int layer) { return layer == 11 || std::filesystem::exists(real_layer_path(layer)); }

void check_errors(const RealLayer& layer, const FeedForward& ff, const std::string& name) {
  std::vector<double> errors = token_errors(layer, forward(ff, layer.x, layer.T));
  std::sort(errors.begin(), errors.end());
  std::printf("  %s: error per token: median %.3g, largest %.3g\n", name.c_str(), errors[errors.size() / 2],
              errors.back());
  EXPECT_LE(errors[errors.size() / 2], 1e-6);
  EXPECT_TRUE(errors.back() < 1e-5);  // f32 with the massive activation included; NaN fails
}

class RealWeights : public IsaTest {
 protected:
  void check(int number) {
    if (!available(number)) GTEST_SKIP() << real_layer_path(number) << " is not there; set SWIGLU_DATA_DIR";
    const RealLayer layer = load_real_layer(real_layer_path(number));
    const FeedForward ff(layer.block.d_model, layer.block.d_ff, layer.block.weights(), single_threaded(GetParam()));
    check_errors(layer, ff, "layer " + std::to_string(number) + ", native/" + to_string(GetParam()));
  }
};
SWIGLU_FOR_EVERY_ISA(RealWeights);

TEST_P(RealWeights, Layer11) { check(11); }

class RealWeightsSlow : public RealWeights {};
SWIGLU_FOR_EVERY_ISA(RealWeightsSlow);

TEST_P(RealWeightsSlow, Layer00) { check(0); }
TEST_P(RealWeightsSlow, Layer28) { check(28); }

TEST_P(RealWeightsSlow, WithinTheDerivedBound) {
  const RealLayer layer = load_real_layer(real_layer_path(11));
  const FeedForward ff(layer.block.d_model, layer.block.d_ff, layer.block.weights(), single_threaded(GetParam()));
  double largest = 0;
  const Expected expected = expected_block(layer.block, layer.x, layer.T);
  EXPECT_TRUE(within_bound(expected, forward(ff, layer.x, layer.T), &largest));
  std::printf("  layer 11: largest error is %.4f of its bound\n", largest);
  EXPECT_GT(largest, 1e-3) << "a bound that wide would let noise pass";
  for (std::size_t i = 0; i < layer.y.size(); ++i) {
    ASSERT_NEAR(layer.y[i], expected.y[i], 1e-11 * (1 + std::abs(expected.y[i]))) << "the file's y and our double";
  }
}

TEST(RealWeightsOtherBackends, Layer11) {
  const RealLayer layer = load_real_layer(real_layer_path(11));
  for (Backend backend : compiled_backends()) {
    if (backend == Backend::native) continue;
    for (OneDnnForm form : {OneDnnForm::wide, OneDnnForm::post_ops}) {
      if (backend != Backend::onednn && form != OneDnnForm::wide) continue;
      Options options;
      options.backend = backend;
      options.onednn_form = form;
      const FeedForward ff(layer.block.d_model, layer.block.d_ff, layer.block.weights(), options);
      check_errors(layer, ff,
                   std::string("layer 11, ") + to_string(backend) + (form == OneDnnForm::wide ? "" : " post_ops"));
    }
  }
}

// The reader refuses what it cannot trust.
class SafetensorsFile : public ::testing::Test {
 protected:
  std::string write(const std::string& bytes) {
    const std::string path = ::testing::TempDir() + "swiglu_test.safetensors";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  static std::string with_header(const std::string& header, const std::string& data) {
    std::string bytes(8, '\0');
    for (int i = 0; i < 8; ++i) bytes[static_cast<std::size_t>(i)] = static_cast<char>(header.size() >> (8 * i));
    return bytes + header + data;
  }
};

TEST_F(SafetensorsFile, ReadsBf16) {
  const Safetensors file(write(
      with_header(R"({"w":{"dtype":"BF16","shape":[1,2],"data_offsets":[0,4]}})", std::string("\x80\x3f\x00\xc0", 4))));
  std::size_t rows, columns;
  EXPECT_EQ(file.floats("w", &rows, &columns), (std::vector<float>{1.0f, -2.0f}));
  EXPECT_EQ(rows, 1u);
  EXPECT_EQ(columns, 2u);
  EXPECT_THROW(file.floats("v", &rows, &columns), std::runtime_error);
}

TEST_F(SafetensorsFile, RefusesMalformedFiles) {
  EXPECT_THROW(Safetensors("/nonexistent/file"), std::runtime_error);
  EXPECT_THROW(Safetensors(write("abc")), std::runtime_error);
  EXPECT_THROW(Safetensors(write(std::string(8, '\xff') + "{}")), std::runtime_error);
  EXPECT_THROW(Safetensors(write(with_header("{", ""))), std::runtime_error);
  EXPECT_THROW(Safetensors(write(with_header(R"({"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}})", "1234"))),
               std::runtime_error);
  EXPECT_THROW(Safetensors(write(with_header(R"({"w":{"dtype":"F32","shape":[1,1],"data_offsets":[4,0]}})", "1234"))),
               std::runtime_error);
  std::size_t rows, columns;
  const Safetensors wrong_shape(
      write(with_header(R"({"w":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]}})", "1234")));
  EXPECT_THROW(wrong_shape.floats("w", &rows, &columns), std::runtime_error);
}

}  // namespace
}  // namespace swiglu::testing
