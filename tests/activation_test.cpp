// Presets, their parameters, their names on command lines, and where the public API takes them.

#include <gtest/gtest.h>
#include <swiglu/swiglu.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "support/block_case.hpp"
#include "support/error_of.hpp"
#include "support/random.hpp"

namespace swiglu::testing {
namespace {

const float kInfinity = std::numeric_limits<float>::infinity();
const float kNaN = std::numeric_limits<float>::quiet_NaN();

// activations.md, by the letter.
TEST(Activation, DefaultsAreThoseOfTheModels) {
  EXPECT_EQ(Activation().preset, Preset::swiglu);
  EXPECT_EQ(Activation().multiplier, 1.0f);
  EXPECT_EQ(Activation(Preset::swiglu_beta).beta, 1.0f);
  for (const Preset preset : {Preset::gpt_oss, Preset::minimax_m3}) {
    EXPECT_EQ(Activation(preset).alpha, 1.702f);
    EXPECT_EQ(Activation(preset).limit, 7.0f);
  }
  EXPECT_EQ(Activation(Preset::deepseek_v4).limit, 10.0f);
  EXPECT_EQ(Activation(Preset::swiglu_step).limit, 7.0f);
  EXPECT_EQ(Activation(Preset::situ).beta1, 4.0f);
  EXPECT_EQ(Activation(Preset::situ).beta2, 25.0f);
}

TEST(Activation, FactoriesAndPresetsHaveTheSameDefaults) {
  EXPECT_EQ(Activation::swiglu(), Activation(Preset::swiglu));
  EXPECT_EQ(Activation::swiglu_beta(), Activation(Preset::swiglu_beta));
  EXPECT_EQ(Activation::gpt_oss(), Activation(Preset::gpt_oss));
  EXPECT_EQ(Activation::minimax_m3(), Activation(Preset::minimax_m3));
  EXPECT_EQ(Activation::deepseek_v4(), Activation(Preset::deepseek_v4));
  EXPECT_EQ(Activation::swiglu_step(), Activation(Preset::swiglu_step));
  EXPECT_EQ(Activation::situ(), Activation(Preset::situ));
  const Activation gpt = Activation::gpt_oss(1.5f, 3.0f), situ = Activation::situ(2.0f, 3.0f);
  EXPECT_EQ(gpt.alpha, 1.5f);
  EXPECT_EQ(gpt.limit, 3.0f);
  EXPECT_EQ(situ.beta1, 2.0f);
  EXPECT_EQ(situ.beta2, 3.0f);
  EXPECT_NE(gpt, Activation::gpt_oss());
  EXPECT_NE(Activation(Preset::glu), Activation(Preset::bilinear));
}

TEST(Activation, EveryPresetIsValidAndItsNameReadsBack) {
  std::set<std::string> names;
  for (const Preset preset : all_presets()) {
    EXPECT_NO_THROW(Activation(preset).validate());
    const std::string name = to_string(preset);
    EXPECT_TRUE(names.insert(name).second) << name << " twice";
    EXPECT_EQ(parse_preset(name), preset);
    EXPECT_EQ(to_string(Activation(preset)), name) << "defaults are not spelled out";
    EXPECT_EQ(parse_activation(name), Activation(preset));
  }
  EXPECT_EQ(names.size(), 14u);
  EXPECT_EQ(names.count("geglu_tanh"), 1u);
  EXPECT_STREQ(to_string(static_cast<Preset>(99)), "invalid");
}

TEST(Activation, TextReadsBackToTheSameFloats) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const float a = random.normal(3.0f) + 1e-30f, b = std::ldexp(1.0f + std::fabs(random.uniform()), i % 200 - 100);
    for (const Activation& activation : {Activation::swiglu(a), Activation::swiglu_beta(a), Activation::gpt_oss(a, b),
                                         Activation::deepseek_v4(b), Activation::situ(a, -b)}) {
      ASSERT_EQ(parse_activation(to_string(activation)), activation) << to_string(activation);
    }
  }
  EXPECT_EQ(to_string(Activation::gpt_oss(1.702f, 5.0f)), "gpt_oss:limit=5");
  EXPECT_EQ(to_string(Activation::situ(0.1f, 2.0f)), "situ:beta1=0.1,beta2=2");
  EXPECT_EQ(parse_activation("gpt_oss:limit=7,alpha=1.702"), Activation::gpt_oss());
}

TEST(Activation, BadTextIsRefused) {
  const auto error = [](const char* text) { return error_of([&] { parse_activation(text); }); };
  const auto starts = [](const std::string& text, const std::string& start) {
    return text.rfind(start, 0) == 0 ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << text;
  };
  EXPECT_TRUE(starts(error("gelu"), "preset = \"gelu\": must be one of swiglu, swiglu_beta, "));
  EXPECT_TRUE(starts(error("GLU"), "preset = \"GLU\""));
  EXPECT_TRUE(starts(error(" glu"), "preset = \" glu\""));
  EXPECT_TRUE(starts(error(""), "preset = \"\""));
  EXPECT_EQ(error("deepseek_v4:alpha=1"),
            "activation = \"deepseek_v4:alpha=1\": \"alpha\" is no parameter of deepseek_v4, which has limit");
  EXPECT_EQ(error("reglu:limit=0"),
            "activation = \"reglu:limit=0\": \"limit\" is no parameter of reglu, which has no parameters");
  EXPECT_EQ(error("situ:beta1"), "activation = \"situ:beta1\": \"beta1\" is not NAME=VALUE; situ has beta1, beta2");
  EXPECT_TRUE(starts(error("situ:"), "activation = \"situ:\": \"\" is not NAME=VALUE"));
  EXPECT_TRUE(starts(error("situ:beta1=1,"), "activation = \"situ:beta1=1,\": \"\" is not NAME=VALUE"));
  EXPECT_EQ(error("situ:beta1=1,beta1=1"), "activation = \"situ:beta1=1,beta1=1\": beta1 is given twice");
  for (const char* value : {"", " 1", "1 ", "1x", "0x1", "1,5", "1e99", "one"}) {
    EXPECT_TRUE(starts(error((std::string("swiglu:multiplier=") + value).c_str()), "activation = \"swiglu:")) << value;
  }
  EXPECT_EQ(error("gpt_oss:limit=-7"),
            "activation.limit = -7: must be finite and greater than 0 for gpt_oss (default 7)");
  EXPECT_EQ(error("gpt_oss:alpha=inf"), "activation.alpha = inf: must be finite and not 0 for gpt_oss (default 1.702)");
}

TEST(Activation, BadParametersAreRefusedByName) {
  EXPECT_EQ(error_of([] { Activation::deepseek_v4(0.0f); }),
            "activation.limit = 0: must be finite and greater than 0 for deepseek_v4 (default 10)");
  EXPECT_EQ(error_of([] { Activation::situ(4.0f, 0.0f); }),
            "activation.beta2 = 0: must be finite and not 0 for situ (default 25)");
  EXPECT_EQ(error_of([] { Activation::swiglu(kNaN); }).rfind("activation.multiplier = nan", 0), 0u);
  for (const float bad : {0.0f, -0.0f, kInfinity, -kInfinity, kNaN}) {
    EXPECT_THROW(Activation::swiglu(bad), InvalidArgument);
    EXPECT_THROW(Activation::swiglu_beta(bad), InvalidArgument);
    EXPECT_THROW(Activation::gpt_oss(bad), InvalidArgument);
    EXPECT_THROW(Activation::minimax_m3(bad), InvalidArgument);
    EXPECT_THROW(Activation::situ(bad), InvalidArgument);
    EXPECT_THROW(Activation::situ(1.0f, bad), InvalidArgument);
  }
  for (const float bad : {0.0f, -0.0f, -7.0f, kInfinity, -kInfinity, kNaN}) {
    EXPECT_THROW(Activation::gpt_oss(1.702f, bad), InvalidArgument);
    EXPECT_THROW(Activation::minimax_m3(1.702f, bad), InvalidArgument);
    EXPECT_THROW(Activation::deepseek_v4(bad), InvalidArgument);
    EXPECT_THROW(Activation::swiglu_step(bad), InvalidArgument);
  }
  EXPECT_NO_THROW(Activation::swiglu(-1.0f));
  EXPECT_NO_THROW(Activation::swiglu_beta(-0.5f));
  EXPECT_NO_THROW(Activation::situ(-4.0f, -25.0f));
  EXPECT_NO_THROW(Activation::deepseek_v4(std::numeric_limits<float>::denorm_min()));
  EXPECT_NO_THROW(Activation::swiglu(std::numeric_limits<float>::max()));
}

// Every parameter of every preset: set where it is not used, it is an error and names itself.
TEST(Activation, ParametersOfOtherPresetsAreRefused) {
  using Field = float Activation::*;
  const std::pair<Field, const char*> fields[] = {
      {&Activation::multiplier, "multiplier"}, {&Activation::beta, "beta"},   {&Activation::alpha, "alpha"},
      {&Activation::limit, "limit"},           {&Activation::beta1, "beta1"}, {&Activation::beta2, "beta2"}};
  int refused = 0;
  for (const Preset preset : all_presets()) {
    for (const auto& [field, name] : fields) {
      Activation activation(preset);
      if (activation.*field != 0) continue;
      for (const float value : {1.0f, -2.0f, kNaN}) {
        activation.*field = value;
        const std::string error = error_of([&] { activation.validate(); });
        EXPECT_EQ(error.rfind(std::string("activation.") + name + " = ", 0), 0u) << error;
        EXPECT_NE(error.find(to_string(preset)), std::string::npos) << error;
        ++refused;
      }
    }
  }
  EXPECT_EQ(refused, 3 * (14 * 6 - 10)) << "ten parameters are in use";
  Activation left_over;  // the default's multiplier, another preset
  left_over.preset = Preset::gpt_oss;
  EXPECT_EQ(error_of([&] { left_over.validate(); }),
            "activation.multiplier = 1: must be 0 for gpt_oss, which has alpha, limit");
  Activation no_preset;
  no_preset.preset = static_cast<Preset>(99);
  EXPECT_EQ(error_of([&] { no_preset.validate(); }), "activation.preset = 99: not a Preset value");
  EXPECT_EQ(error_of([] { Activation(static_cast<Preset>(-1)).validate(); }),
            "activation.preset = -1: not a Preset value");
}

TEST(BlockActivation, IsValidatedAndSaidAloud) {
  const BlockCase block = random_block(3, 5);
  Options options;
  options.backend = Backend::reference;
  const auto error = [&] { return error_of([&] { FeedForward(3, 5, block.weights(), options); }); };
  options.activation = Preset::gpt_oss;
  options.activation.limit = -1;
  EXPECT_EQ(error(), "activation.limit = -1: must be finite and greater than 0 for gpt_oss (default 7)");
  options.activation.limit = 5;
  const FeedForward ff(3, 5, block.weights(), options);
  EXPECT_NE(ff.explain().find("gpt_oss:limit=5"), std::string::npos) << ff.explain();
}

// Every preset reaches the reference backend: other bits than swiglu's, on the same inputs.
TEST(BlockActivation, ReferenceBackendTakesAllPresets) {
  const BlockCase block = random_block(8, 16);
  const std::vector<float> x = random_floats(2 * 8, 1, 4.0f);
  std::set<std::vector<float>> results;
  for (const Preset preset : all_presets()) {
    Options options;
    options.backend = Backend::reference;
    options.activation = preset;
    results.insert(forward(FeedForward(8, 16, block.weights(), options), x, 2));
  }
  EXPECT_EQ(results.size(), all_presets().size() - 1) << "only swiglu_beta with its default equals another, swiglu";
}

// The form of the rival that lacks the presets says so, and which one has them.
TEST(BlockActivation, PostOpsFormHasOnlySwiglu) {
  const std::vector<Backend> compiled = compiled_backends();
  if (std::find(compiled.begin(), compiled.end(), Backend::onednn) == compiled.end()) {
    GTEST_SKIP() << "this build has no oneDNN";
  }
  const BlockCase block = random_block(3, 5);
  Options options;
  options.backend = Backend::onednn;
  options.onednn_form = OneDnnForm::post_ops;
  options.activation = Activation::swiglu(2.0f);
  EXPECT_EQ(error_of<Unsupported>([&] { FeedForward(3, 5, block.weights(), options); }),
            "options.activation = swiglu:multiplier=2: the post_ops form of backend onednn has only swiglu. Available: "
            "onednn_form wide");
}

}  // namespace
}  // namespace swiglu::testing
