// The library.

#include "activation_text.hpp"
#include "arm.hpp"
#include "implementations/library_object.hpp"

namespace swiglu::bench {
namespace {

std::unique_ptr<BlockObject> create(const ObjectRequest& request) {
  Options options;
  options.isa = request.isa;
  set_activation(options, request.activation);
  options.threads = request.threads;
  // One pool for all windows, as a host with many layers has it. A pool in each would mean idle workers of one window
  // that spin on the cores the next one needs (seen: 3 ms became 14).
  options.executor = request.executor;
  auto object = std::make_unique<LibraryObject>(request, options);
  require_isa(request.isa, object->block().isa());
  return object;
}

}  // namespace

const Implementation kNative = {"native", "fused",         "the library", Family::ffn, Role::ours,
                                false,    nothing_missing, create,        true};

}  // namespace swiglu::bench
