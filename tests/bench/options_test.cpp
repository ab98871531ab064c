// The command line of swiglu-bench: what it understands, and one clear line for what it does not.

#include "options.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "formatted.hpp"
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
  EXPECT_EQ(parse({"paired", "--tokens", "16777216"}).tokens, (Sizes{kLargestSize}));
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
  EXPECT_EQ(parse({"paired", "--seed", "0"}).seed, 0u);
}

TEST(BenchOptions, WhatIsThereTwiceCountsOnce) {
  EXPECT_EQ(parse({"paired", "--impl", "native,fused,native"}).impls, (std::vector<const Implementation*>{&kNative}));
  EXPECT_EQ(parse({"paired", "--isa", "scalar,portable"}).isas, (std::vector<std::string>{"portable"}));
}

TEST(BenchOptions, HelpOfACommand) {
  EXPECT_TRUE(parse({"--help"}).command.empty());
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--help", "run"}, {"help", "run"}, {"run", "--help"}, {"run", "-h"}}) {
    const Options options = parse(words);
    EXPECT_TRUE(options.help);
    EXPECT_EQ(options.command, "run");
    EXPECT_NE(help_text("run").find("--min-time"), std::string::npos);
  }
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

TEST(BenchOptions, ErrorsSayWhatIsWrong) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"paired", "-x"}, "unknown option '-x' (see paired --help)"},
      {{"paired", "smoke"}, "unexpected argument 'smoke' (see paired --help)"},
      {{"--help", "run", "x"}, "unexpected argument 'x'; try --help"},
      {{"paired", "--format"}, "--format needs a value: NAME (see paired --help)"},
      {{"paired", "--out", "--list"}, "--out needs a value: FILE (see paired --help)"},
      {{"paired", "--out="}, "--out: the name of the file is empty"},
      {{"paired", "--tokens", "-1"}, "--tokens: '-1' is not a positive integer"},
      {{"paired", "--tokens", "1-"}, "--tokens: '1-' is a range without its end"},
      {{"paired", "--tokens", "4*2"}, "--tokens: '4*2' is not a range such as 1-40+3 or 1-512*2"},
      {{"paired", "--tokens", "1-9+"}, "--tokens: '1-9+' is not a range such as 1-40+3 or 1-512*2"},
      {{"paired", "--tokens", "99999999999999999999"},
       "--tokens: 99999999999999999999 is too large, the most is 16777216"},
      {{"paired", "--d-model", "1000000000000000"}, "--d-model: 1000000000000000 is too large, the most is 16777216"},
      {{"paired", "--cpus", "a"}, "--cpus: 'a' is not the number of a CPU, as in 0,2,4-7"},
      {{"paired", "--cpus", "-1"}, "--cpus: '-1' is not the number of a CPU, as in 0,2,4-7"},
      {{"paired", "--cpus", "0-99999999999"}, "--cpus: 99999999999 is too large, the most is 65535"},
      {{"paired", "--cpus", "0-3,2"}, "--cpus: CPU 2 is there twice"},
      {{"paired", "--seed", "-1"}, "--seed: '-1' is not 0 or a positive integer"},
      {{"paired", "--llc-bytes", "1T"}, "--llc-bytes: '1T' is not a number of bytes, such as 32M, 1G or auto"},
      {{"paired", "--llc-bytes", "99999999999999999G"},
       "--llc-bytes: 99999999999999999 is too large, the most is 17179869183"},
      {{"paired", "--mode", "X"}, "--mode: 'X' is not one of C, P, CP, L"},
      {{"paired", "--mode", "c"}, "--mode: 'c' is not one of C, P, CP, L; did you mean 'C'?"},
      {{"paired", "--out-format", "console"}, "--out-format: 'console' is not one of json, jsonl, csv, md"},
      {{"paired", "--hidden", "64"}, "--hidden needs --h-rule fixed"},
      {{"paired", "--h-rule", "fixed"}, "--h-rule fixed needs --hidden, which says the d_ff"},
      {{"paired", "--d-model", "64", "--h-rule", "fixed", "--hidden", "64", "--align", "8"},
       "--align does not go with --h-rule fixed: --hidden says the d_ff"},
      {{"run", "--repetitions", "99999999999"}, "--repetitions: 99999999999 is too large, the most is 1000000"},
  };
  for (const auto& [words, says] : cases) EXPECT_EQ(complaint(words), says);
  EXPECT_EQ(complaint({"paired", "--baseline", "foo"}).rfind("--baseline: 'foo' is not one of native, ", 0), 0u);
  EXPECT_EQ(complaint({"paired", "--contender", "foo"}).rfind("--contender: 'foo' is not one of native, ", 0), 0u);
}

TEST(BenchOptions, LeftNothingNamesTheFilters) {
  EXPECT_EQ(left_nothing(parse({"run", "--filter", "a", "--benchmark_filter=b"})),
            "no name matches --filter 'a' and --benchmark_filter=b; --list without it shows them");
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
  EXPECT_NE(complaint({"paired", "--batch", testing::TempDir()}).find("cannot read"), std::string::npos);
}

TEST(BenchOptions, BatchAndTheCommandLineSayDifferentThings) {
  const std::string path = testing::TempDir() + "bench_batch_line.txt";
  for (const std::string line : {"--rounds 9", "--baseline unfused", "--mode C", "--out x", "--list"}) {
    std::ofstream(path) << "--d-model 256 " << line << "\n";
    EXPECT_EQ(complaint({"paired", "--batch", path}),
              "--batch: " + path + ":1: " + line.substr(0, line.find(' ')) + " belongs on the command line");
  }
  std::ofstream(path) << "--d-model 256\n";
  for (const std::vector<std::string>& option : std::vector<std::vector<std::string>>{{"--models", "all"},
                                                                                      {"--d-model", "64"},
                                                                                      {"--tokens", "4"},
                                                                                      {"--threads", "2"},
                                                                                      {"--isa", "avx2"},
                                                                                      {"--impl", "native"},
                                                                                      {"--activation", "reglu"},
                                                                                      {"--cold-cache", "none"}}) {
    EXPECT_EQ(complaint({"paired", "--batch", path, option[0], option[1]}),
              option[0] + " does not go with --batch: write it into the lines of " + path);
  }
  EXPECT_EQ(complaint({"paired", "--baseline", "unfused", "--batch", path}),
            "--baseline does not go with --batch: write --impl into the lines of " + path);
  EXPECT_EQ(complaint({"paired", "--batch", path, "--preset", "full", "--filter", "T:1/", "--rounds", "9"}), "");
}

TEST(BenchSuggest, OnlyWhatIsNear) {
  EXPECT_EQ(nearest("reprot", {"smoke", "report"}), "report");
  EXPECT_EQ(nearest("onednn-wise", {"native", "onednn-plain", "onednn-wide"}), "onednn-wide");
  EXPECT_EQ(nearest("xyz", {"smoke", "report"}), "");
  EXPECT_EQ(nearest("X", {"C", "P"}), "");
  EXPECT_EQ(nearest("p", {"C", "P"}), "P");
}

TEST(BenchText, OneAndMany) {
  EXPECT_EQ(counted(1, "point"), "1 point");
  EXPECT_EQ(counted(0, "tie"), "0 ties");
  EXPECT_EQ(counted(2, "loss"), "2 losses");
  EXPECT_EQ(counted(2, "launch"), "2 launches");
}

}  // namespace
}  // namespace swiglu::bench
