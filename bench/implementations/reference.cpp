// Double precision, rounded once: slow, and right.

#include "implementations/library_object.hpp"

namespace swiglu::bench {
namespace {

std::unique_ptr<BlockObject> create(const ObjectRequest& request) {
  Options options;
  options.backend = Backend::reference;
  options.activation = request.activation;
  return std::make_unique<LibraryObject>(request, options);
}

}  // namespace

const Implementation kReference = {"reference",     "ref",           "double precision, one thread, slow",
                                   Family::ffn,     Role::reference, false,
                                   nothing_missing, create,          true};

}  // namespace swiglu::bench
