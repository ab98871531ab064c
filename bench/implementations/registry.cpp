#include "implementations/implementation.hpp"
#include "suggest.hpp"

namespace swiglu::bench {

const std::vector<const Implementation*>& implementations() {
  static const std::vector<const Implementation*> list = {
      &kNative,   &kUnfused, &kOnednnWide, &kOnednnPostOps, &kOnednnPlain,
      &kOpenblas, &kEigen,   &kReference,  &kFfn2,          &kFfn2Onednn,
  };
  return list;
}

const Implementation& find_implementation(const std::string& name, const std::string& option) {
  std::vector<std::string> names;
  for (const Implementation* entry : implementations()) {
    if (name == entry->name || (entry->alias != nullptr && name == entry->alias)) return *entry;
    names.push_back(entry->name);
  }
  throw UsageError(not_one_of(option, name, names));
}

}  // namespace swiglu::bench
