#pragma once

#include <string>
#include <vector>

#include "lists.hpp"

namespace swiglu::bench {

/// The candidate with the fewest edits to `word`, if those are few enough to be a slip; else empty.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// "--preset: 'ful' is not one of smoke, full; did you mean 'full'?"
std::string not_one_of(const std::string& option, const std::string& word, const std::vector<std::string>& candidates);

}  // namespace swiglu::bench
