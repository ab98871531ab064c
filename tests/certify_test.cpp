// The certificate must be able to fail: kernels that are wrong in one way each, and the reports about them.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "certify/certificate.hpp"
#include "support/ulp.hpp"

namespace swiglu::certify {
namespace {

using testing::ulp_error;

constexpr float kInf = std::numeric_limits<float>::infinity();

const std::string kSilu = "silu";  // not a temporary: g++ 13 and 14 fear that the reference found by it dangles
double sigmoid(double x) { return find_function("sigmoid").reference(x); }
double silu(double x) { return find_function("silu").reference(x); }

/// The right kernel, but `change` may spoil single results.
template <class Change>
Kernel spoiled(double (*reference)(double), Change change) {
  return [reference, change](const float* in, float* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = change(in[i], static_cast<float>(reference(in[i])));
  };
}

Kernel right(double (*reference)(double)) {
  return spoiled(reference, [](float, float y) { return y; });
}

Stream range(float from, float to, std::uint32_t step = 1) { return {position_of(from), position_of(to), step}; }

constexpr double kFromMinusInfinity = -std::numeric_limits<double>::infinity();

TEST(CertifyStream, IsAllFloatsInOrder) {
  EXPECT_EQ(Stream().size(), std::uint64_t{1} << 32);
  std::uint64_t numbers = 0;
  float before = -kInf;
  const Stream sample{0, 0xffffffffu, 9973};
  for (std::uint64_t i = 0; i < sample.size(); ++i) {
    const float value = sample[i];
    ASSERT_EQ(position_of(value), i * 9973);
    if (std::isnan(value)) continue;
    ASSERT_GE(value, before);
    before = value;
    ++numbers;
  }
  EXPECT_GT(numbers, 0.99 * static_cast<double>(sample.size()));
  const Stream zeros = range(-0x1p-149f, 0x1p-149f);
  ASSERT_EQ(zeros.size(), 4u);
  EXPECT_TRUE(std::signbit(zeros[1]) && !std::signbit(zeros[2]) && zeros[1] == 0 && zeros[2] == 0);
  EXPECT_TRUE(std::isnan(Stream()[0]) && std::isnan(Stream()[0xffffffffu]));
}

TEST(CertifyUlp, IsTheDistanceInSpacingsAtTheExactValue) {
  EXPECT_EQ(ulp_error(1.0f, 1.0), 0);
  EXPECT_EQ(ulp_error(1.0f, 1.0 + 0x1p-24), 0.5);
  EXPECT_EQ(ulp_error(1.0f, 1.0 - 0x1p-25), 0.5) << "the spacing below 1 is half as large";
  EXPECT_EQ(ulp_error(-2.0f, -3.0), 0x1p22);
  EXPECT_EQ(ulp_error(0x1p-149f, 0x1.8p-149), 0.5);
  EXPECT_EQ(ulp_error(0.0f, 0x1p-126), 0x1p23);
  EXPECT_EQ(ulp_error(0.0f, 1e-300), 1e-300 * 0x1p149);
  EXPECT_EQ(ulp_error(0.0f, 0.0), 0);
  EXPECT_EQ(ulp_error(-0.0f, 0.0), kInf);
  EXPECT_EQ(ulp_error(0.0f, -1e-300), kInf);
  EXPECT_EQ(ulp_error(NAN, 1.0), kInf);
  EXPECT_EQ(ulp_error(1.0f, NAN), kInf);
  EXPECT_EQ(ulp_error(NAN, NAN), 0);
  EXPECT_EQ(ulp_error(kInf, kInf), 0);
  EXPECT_EQ(ulp_error(kInf, 1e50), 0);
  EXPECT_EQ(ulp_error(kInf, 0x1.ffffffp127), 0.5) << "half way between the largest float and 2^128";
  EXPECT_EQ(ulp_error(std::numeric_limits<float>::max(), 0x1.ffffffp127), 0.5);
  EXPECT_GT(ulp_error(kInf, 1e38), 1e6);
  EXPECT_GT(ulp_error(std::numeric_limits<float>::max(), 1e50), 1e6);
  EXPECT_EQ(ulp_error(-kInf, 1e50), kInf);
}

TEST(CertifyScan, ARightKernelPasses) {
  const Function& function = find_function(kSilu);
  const Stream stream{0, 0xffffffffu, 60013};
  const Scan result = scan(silu, function.rises_from, {right(silu)}, stream)[0];
  EXPECT_EQ(result.inputs, stream.size());
  EXPECT_LE(result.normal.ulp, 0.5);
  EXPECT_GT(result.normal.ulp, 0.49);
  EXPECT_LE(result.subnormal.ulp, 0.5);
  EXPECT_GT(result.mean_ulp, 0);
  EXPECT_LT(result.mean_ulp, 0.25);
  EXPECT_EQ(result.wrong_class.times + result.flushed.times + result.falls.times, 0u);
  const Entry entry{&function, Isa::avx2, result, special_values(function, right(silu))};
  EXPECT_EQ(entry.broken(), "");
}

TEST(CertifyScan, OneWrongInputAmongMillionsIsFound) {
  const float where = -0x1.234568p+1f;
  const Kernel kernel = spoiled(silu, [&](float x, float y) { return x == where ? y + 2 * 0x1p-26f : y; });
  const std::vector<Scan> both =
      scan(silu, kFromMinusInfinity, {right(silu), kernel}, range(-3.0f, -2.0f), {2, nullptr, nullptr});
  EXPECT_LE(both[0].normal.ulp, 0.5);
  EXPECT_NEAR(both[1].normal.ulp, 2, 0.5);
  EXPECT_EQ(both[1].normal.input, where);
  EXPECT_NE(both[0].hash, both[1].hash);
}

TEST(CertifyScan, FlushedSubnormalsAreFound) {
  const Kernel kernel =
      spoiled(silu, [](float, float y) { return std::fabs(y) < 0x1p-126f ? std::copysign(0.0f, y) : y; });
  const Scan result = scan(silu, kFromMinusInfinity, {kernel}, range(-120.0f, -80.0f))[0];
  EXPECT_LE(result.normal.ulp, 0.5);
  EXPECT_GT(result.subnormal.ulp, 1e6) << "the largest subnormal is 2^23 - 1 spacings";
  EXPECT_GT(result.flushed.times, 100000u);
  EXPECT_NEAR(result.flushed.first, -107.9, 0.5) << "where |silu| reaches 2^-149";
  const Function& function = find_function(kSilu);
  const Entry entry{&function, Isa::avx2, result, {}};
  EXPECT_NE(entry.broken().find("results flushed to zero"), std::string::npos) << entry.broken();
}

TEST(CertifyScan, AFallIsFoundInsideAndBetweenChunks) {
  const Stream stream = range(-1.0f, -0.99f);
  for (const std::uint64_t place : {std::uint64_t{70000}, std::uint64_t{1} << 16, (std::uint64_t{1} << 16) - 1}) {
    const float where = stream[place];
    // Its neighbours are at most one float away.
    const Kernel kernel = spoiled(sigmoid, [&](float x, float y) { return x == where ? y - 2 * 0x1p-25f : y; });
    const Scan result = scan(sigmoid, kFromMinusInfinity, {kernel}, stream)[0];
    EXPECT_LT(result.normal.ulp, 2.51);
    ASSERT_EQ(result.falls.times, 1u) << place;
    EXPECT_EQ(result.falls.first, where);
    EXPECT_EQ(scan(sigmoid, kInf, {kernel}, stream)[0].falls.times, 0u) << "not promised there";
    EXPECT_EQ(scan(sigmoid, -0.3, {kernel}, stream)[0].falls.times, 0u) << "not promised there";
  }
}

TEST(CertifyScan, WrongNaNsAndSignsAreFound) {
  const Stream stream{0, 0xffffffffu, 60013};
  const auto wrong = [&](auto change) { return scan(silu, kInf, {spoiled(silu, change)}, stream)[0].wrong_class; };
  EXPECT_EQ(wrong([](float, float y) { return y; }).times, 0u);
  EXPECT_GT(wrong([](float, float y) { return std::isnan(y) ? 0.0f : y; }).times, 100u) << "NaN swallowed";
  EXPECT_GT(wrong([](float x, float y) { return x < -1e30f ? NAN : y; }).times, 100u) << "NaN made";
  EXPECT_GT(wrong([](float, float y) { return y + 0.0f; }).times, 1000u) << "-0 became +0";
}

TEST(CertifyScan, TheResultDoesNotDependOnThreads) {
  const Stream stream{0, 0xffffffffu, 9973};
  const Scan one = scan(silu, -1.27, {right(silu)}, stream, {1, nullptr, nullptr})[0];
  const Scan four = scan(silu, -1.27, {right(silu)}, stream, {4, nullptr, nullptr})[0];
  EXPECT_EQ(one.hash, four.hash);
  EXPECT_EQ(one.mean_ulp, four.mean_ulp);
  EXPECT_EQ(one.normal.input, four.normal.input);
  EXPECT_EQ(one.inputs, four.inputs);
}

TEST(CertifyScan, AnInterruptIsNoResult) {
  EXPECT_THROW(scan(silu, kInf, {right(silu)}, Stream(), {2, nullptr, [] { return true; }}), Interrupted);
}

TEST(CertifySpecials, EachIsHeldAgainstItsLimit) {
  const Function& function = find_function(kSilu);
  const auto wrong_inputs = [&](const Kernel& kernel) {
    std::vector<float> inputs;
    for (const Special& special : special_values(function, kernel)) {
      if (!special.right) inputs.push_back(special.input);
    }
    return inputs;
  };
  EXPECT_TRUE(wrong_inputs(right(silu)).empty());
  const Kernel naive = [](const float* in, float* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = in[i] * (1 / (1 + std::exp(-in[i])));
  };
  EXPECT_EQ(wrong_inputs(naive), std::vector<float>{-kInf}) << "-∞·0";
  const Kernel swallows = [](const float* in, float* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(silu(in[i] > -200 ? in[i] : -200));
  };
  EXPECT_EQ(wrong_inputs(swallows).size(), 5u) << "all NaNs";
}

Entry entry_of(const char* name, Isa isa, std::uint64_t hash, double ulp = 0.5) {
  Entry entry{&find_function(name), isa, {}, {}};
  entry.scan.hash = hash;
  entry.scan.normal = {ulp, 1.5f, 2.5f};
  return entry;
}

TEST(Certificate, SetsThatPromiseEqualBitsMustHaveThem) {
  Certificate certificate{{}, {entry_of("silu", Isa::portable, 1), entry_of("silu", Isa::avx2, 2)}};
  certificate.entries.push_back(entry_of("silu", Isa::avx512, 2));
  EXPECT_TRUE(certificate.disagreements(nullptr).empty()) << "portable is outside";
  const nlohmann::ordered_json file = to_json(certificate, {});
  EXPECT_TRUE(certificate.disagreements(&file).empty());

  certificate.entries[2].scan.hash = 3;
  ASSERT_EQ(certificate.disagreements(nullptr).size(), 1u);
  EXPECT_NE(certificate.disagreements(nullptr)[0].find("silu: the bits of avx512"), std::string::npos);

  const Certificate neon{{}, {entry_of("silu", Isa::neon, 4), entry_of("exp", Isa::neon, 5)}};
  ASSERT_EQ(neon.disagreements(&file).size(), 1u) << "another machine's";
  EXPECT_NE(neon.disagreements(&file)[0].find("avx2 in the file"), std::string::npos) << neon.disagreements(&file)[0];

  const Certificate sampled{{0, 0xffffffffu, 3}, {}};
  EXPECT_THROW(sampled.disagreements(&file), std::invalid_argument) << "hashes of other floats";
  const nlohmann::ordered_json other = {{"results", 1}};
  EXPECT_THROW(certificate.disagreements(&other), std::invalid_argument);
}

TEST(Certificate, TableHasOneLinePerKindOfBits) {
  const Certificate certificate{{},
                                {entry_of("silu", Isa::portable, 1, 0.7), entry_of("silu", Isa::avx2, 2),
                                 entry_of("silu", Isa::avx512, 2), entry_of("exp", Isa::avx2, 2)}};
  const std::string table = to_markdown(certificate);
  EXPECT_NE(table.find("| `silu` | portable | 0.7000 | `0x1.8p+0` |"), std::string::npos) << table;
  EXPECT_NE(table.find("| `silu` | avx2, avx512 | 0.5000 |"), std::string::npos) << table;
  EXPECT_NE(table.find("| `exp` | avx2 |"), std::string::npos) << table;
  EXPECT_NE(certificate.entries[0].broken().find("0.7000 ulp at 0x1.8p+0, promised 0.55"), std::string::npos);
}

TEST(CertifyFunctions, NamesAreUniqueAndSomeHaveKernels) {
  std::set<std::string> names;
  for (const Function& function : functions()) EXPECT_TRUE(names.insert(function.name).second) << function.name;
  EXPECT_FALSE(certifiable().empty());
  EXPECT_THROW(find_function("relu"), std::invalid_argument);
}

}  // namespace
}  // namespace swiglu::certify
