#include "tallies.hpp"

#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include "formatted.hpp"
#include "stats.hpp"

namespace swiglu::bench {
namespace {

struct Tally {
  std::vector<double> ratios;
  double worst = INFINITY;
  std::string worst_name;
  std::map<std::string, std::size_t> verdicts;
};

}  // namespace

void print_tallies(const std::vector<PointResult>& results, const Plan& plan, const Implementation* wanted_contender,
                   const Implementation* wanted_baseline) {
  std::map<std::string, Tally> tallies;
  std::string contender = kNative.name;
  for (const PointResult& result : results) {
    for (const Json& pair : point_pairs(result, plan, wanted_contender, wanted_baseline)) {
      Tally& tally = tallies[pair.text("baseline")];
      const double ratio = pair.number("ratio");
      contender = pair.text("contender");
      tally.ratios.push_back(ratio);
      ++tally.verdicts[pair.text("verdict")];
      if (ratio >= tally.worst) continue;
      tally.worst = ratio;
      tally.worst_name = pair.text("name");
    }
  }
  for (auto& [baseline, tally] : tallies) {
    std::printf("%s against %s: geometric mean %.3fx, worst %.3fx (%s), %s, %s, %s\n", contender.c_str(),
                baseline.c_str(), geometric_mean(tally.ratios), tally.worst, tally.worst_name.c_str(),
                counted(tally.verdicts["win"], "win").c_str(), counted(tally.verdicts["tie"], "tie").c_str(),
                counted(tally.verdicts["loss"], "loss").c_str());
  }
}

}  // namespace swiglu::bench
