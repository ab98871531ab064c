// oneDNN's two strong forms, through the library's backend.

#include <algorithm>

#include "activation_text.hpp"
#include "implementations/library_object.hpp"
#include "implementations/onednn_missing.hpp"
#include "onednn/onednn_info.hpp"

namespace swiglu::bench {
namespace {

template <OneDnnForm FORM>
class OnednnObject final : public LibraryObject {
 public:
  OnednnObject(const ObjectRequest& request, const Options& options) : LibraryObject(request, options) {}

  std::string detail(std::size_t T) const override {
    std::string text;
    for (const auto& matmul : onednn::describe_block(block_.d_model(), block_.d_ff(), T, FORM, block_.threads())) {
      text += (text.empty() ? "" : "; ") + matmul.role + ": " + matmul.implementation + " " + matmul.weights_layout;
    }
    return text;
  }
};

template <OneDnnForm FORM>
std::unique_ptr<BlockObject> create(const ObjectRequest& request) {
  Options options;
  options.backend = Backend::onednn;
  options.threads = request.threads;
  options.onednn_form = FORM;
  set_activation(options, request.activation);
  return std::make_unique<OnednnObject<FORM>>(request, options);
}

}  // namespace

const Implementation kOnednnWide = {"onednn-wide",
                                    "onednn",
                                    "oneDNN: one matmul of width 2·d_ff, our silu·mul, down matmul",
                                    Family::ffn,
                                    Role::rival,
                                    true,
                                    onednn_missing,
                                    create<OneDnnForm::wide>,
                                    true};
const Implementation kOnednnPostOps = {"onednn-post_ops",
                                       "onednn-postops",
                                       "oneDNN: gate matmul + swish, up matmul + multiply, down matmul",
                                       Family::ffn,
                                       Role::rival,
                                       true,
                                       onednn_missing,
                                       create<OneDnnForm::post_ops>};

}  // namespace swiglu::bench
