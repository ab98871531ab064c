#include "suggest.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace swiglu::bench {
namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Levenshtein distance, upper and lower case being the same.
std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (same_letter(a[i], b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j + 1] + 1, row[j] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t fewest = std::min(word.size() / 3 + 1, word.size() / 2) + 1;
  for (const auto& candidate : candidates) {
    if (const std::size_t n = edits(word, candidate); n < fewest) {
      fewest = n;
      best = candidate;
    }
  }
  return best;
}

std::string not_one_of(const std::string& option, const std::string& word, const std::vector<std::string>& candidates) {
  std::string text = option + ": '" + word + "' is not one of ";
  for (const auto& candidate : candidates) text += (candidate == candidates.front() ? "" : ", ") + candidate;
  const std::string close = nearest(word, candidates);
  return close.empty() ? text : text + "; did you mean '" + close + "'?";
}

}  // namespace swiglu::bench
