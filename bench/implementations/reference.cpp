// Double precision, rounded once: slow, and right.

#include "activation_text.hpp"
#include "implementations/library_object.hpp"

namespace swiglu::bench {
namespace {

std::unique_ptr<BlockObject> create(const ObjectRequest& request) {
  Options options;
  options.backend = Backend::reference;
  set_activation(options, request.activation);
  return std::make_unique<LibraryObject>(request, options);
}

}  // namespace

const Implementation kReference = {"reference",     "ref",           "double precision, one thread, slow",
                                   Family::ffn,     Role::reference, false,
                                   nothing_missing, create,          true};

}  // namespace swiglu::bench
