// The command line of swiglu-bench: what it understands, and one clear line for what it does not.

#include "options.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "suggest.hpp"

namespace swiglu::bench {
namespace {

Options parse(std::vector<std::string> words) {
  words.insert(words.begin(), "swiglu-bench");
  return parse_options(words);
}

/// What UsageError says; empty if there is none.
std::string complaint(const std::vector<std::string>& words) {
  try {
    parse(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

using Sizes = std::vector<std::size_t>;

TEST(BenchOptions, ListsAndRanges) {
  EXPECT_EQ(parse({"paired", "--tokens", "1,3,16"}).tokens, (Sizes{1, 3, 16}));
  EXPECT_EQ(parse({"paired", "--tokens=1-16*2"}).tokens, (Sizes{1, 2, 4, 8, 16}));
  EXPECT_EQ(parse({"paired", "--tokens", "1-10+4,100"}).tokens, (Sizes{1, 5, 9, 100}));
  EXPECT_EQ(complaint({"paired", "--tokens", "1-100001"}), "--tokens: '1-100001' is more than 100000 values");
  EXPECT_EQ(parse({"paired", "--tokens", "18446744073709551614-18446744073709551615"}).tokens.size(), 2u);
  EXPECT_EQ(parse({"paired", "--cpu-affinity", "0,2,4-7"}).cpus, (std::vector<int>{0, 2, 4, 5, 6, 7}));
  EXPECT_EQ(parse({"paired", "--llc-bytes", "32M"}).llc_bytes, std::size_t{32} << 20);
  EXPECT_EQ(parse({"paired", "--arena-bytes", "auto"}).arena_bytes, 0u);
}

TEST(BenchOptions, NamesAndAliases) {
  const std::vector<const Implementation*> expected = {&kNative, &kOnednnWide, &kReference, &kOnednnPostOps};
  EXPECT_EQ(parse({"paired", "--impl", "fused,onednn,ref,onednn-postops"}).impls, expected);
  EXPECT_EQ(parse({"paired", "--isa", "scalar"}).isas, (std::vector<std::string>{"portable"}));
  EXPECT_EQ(*parse({"paired", "--cold-cache", "all"}).cache, Cache::all);
  EXPECT_FALSE(parse({"paired"}).cache.has_value());
  EXPECT_TRUE(parse({"paired", "--mode", "L"}).list());
  EXPECT_FALSE(parse({"paired", "--hugepages", "off"}).huge_pages);
  EXPECT_EQ(*parse({"paired", "--prio", "-5"}).priority, -5);
}

TEST(BenchOptions, BaselineBringsNativeAsContender) {
  const Options options = parse({"paired", "--baseline", "unfused"});
  EXPECT_EQ(options.contender, &kNative);
  EXPECT_EQ(options.impls, (std::vector<const Implementation*>{&kNative, &kUnfused}));
}

TEST(BenchOptions, GoogleBenchmarksFlagsUnderOurNames) {
  const auto flags = parse({"run", "--min-time", "200ms", "--repetitions", "3", "--benchmark_x=1"}).google_benchmark;
  EXPECT_EQ(flags, (std::vector<std::string>{"--benchmark_min_time=0.200000", "--benchmark_repetitions=3",
                                             "--benchmark_x=1"}));
}

TEST(BenchOptions, CommandLineIsQuotedForAShell) {
  EXPECT_EQ(parse({"paired", "--filter", "T:(1|16)/", "--context", "who=it's me"}).argv(),
            "swiglu-bench paired --filter 'T:(1|16)/' --context 'who=it'\\''s me'");
}

TEST(BenchOptions, ErrorsNameWhatWasMeant) {
  EXPECT_EQ(complaint({"pared"}), "unknown command 'pared'; did you mean 'paired'?");
  EXPECT_EQ(complaint({"paired", "--token", "1"}),
            "unknown option '--token'; did you mean --tokens? (see paired --help)");
  EXPECT_NE(complaint({"paired", "--isa", "avx51"}).find("did you mean 'avx512'?"), std::string::npos);
  EXPECT_NE(complaint({"paired", "--impl", "nativ"}).find("did you mean 'native'?"), std::string::npos);
  EXPECT_EQ(complaint({"paired", "--xyzzy"}), "unknown option '--xyzzy' (see paired --help)");
}

TEST(BenchOptions, NothingIsIgnored) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {},
           {"paired", "extra"},
           {"paired", "--activation", "geglu"},
           {"paired", "--activation", "reglu:limit=7"},
           {"machine", "--activation", "reglu"},
           {"paired", "--tokens"},
           {"paired", "--tokens", "0"},
           {"paired", "--tokens", "1,,2"},
           {"paired", "--tokens", "16-1"},
           {"paired", "--list=yes"},
           {"paired", "--numa", "isolate"},
           {"paired", "--hugepages", "explicit"},
           {"paired", "--dtype", "bf16"},
           {"paired", "--prio", "20"},
           {"paired", "--confidence", "1"},
           {"paired", "--filter", "["},
           {"paired", "--contender", "native"},
           {"paired", "--baseline", "native"},
           {"paired", "--baseline", "unfused", "--impl", "native"},
           {"paired", "--hidden", "100"},
           {"paired", "--align", "8"},
           {"paired", "--mode", "C", "--launches", "2"},
           {"paired", "--benchmark_repetitions=3"},
           {"paired", "--out-format", "console"},
           {"run", "--launches", "3"},
           {"machine", "--tokens", "1"},
           {"selfcheck", "--out", "x"},
       }) {
    EXPECT_NE(complaint(words), "") << testing::PrintToString(words);
  }
}

TEST(BenchOptions, BatchIsOneSweepPerLine) {
  const std::string path = testing::TempDir() + "bench_batch.txt";
  std::ofstream(path) << "# two sweeps\n--d-model 256 --tokens 1\n\n--models all   # comment\n";
  const auto batch = parse({"paired", "--batch", path}).batch;
  ASSERT_EQ(batch.size(), 2u);
  EXPECT_EQ(batch[0].d_model, Sizes{256});
  EXPECT_EQ(batch[1].models, std::vector<std::string>{"all"});
  std::ofstream(path) << "--d-model 256\n--d-modle 3\n";
  EXPECT_NE(complaint({"paired", "--batch", path}).find(path + ":2: unknown option '--d-modle'"), std::string::npos);
  EXPECT_NE(complaint({"paired", "--batch", path + ".not"}).find("cannot read"), std::string::npos);
}

TEST(BenchSuggest, OnlyWhatIsNear) {
  EXPECT_EQ(nearest("reprot", {"smoke", "report"}), "report");
  EXPECT_EQ(nearest("onednn-wise", {"native", "onednn-plain", "onednn-wide"}), "onednn-wide");
  EXPECT_EQ(nearest("xyz", {"smoke", "report"}), "");
}

}  // namespace
}  // namespace swiglu::bench
