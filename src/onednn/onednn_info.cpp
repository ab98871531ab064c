#include "onednn/onednn_info.hpp"

#ifdef SWIGLU_HAVE_ONEDNN
#include "onednn/plan.hpp"
#include "onednn/runtime.hpp"
#endif

namespace swiglu::onednn {

#ifdef SWIGLU_HAVE_ONEDNN

std::optional<LoadedLibrary> loaded_library() {
  const dnnl_version_t* version = dnnl_version();
  return LoadedLibrary{
      std::to_string(version->major) + "." + std::to_string(version->minor) + "." + std::to_string(version->patch),
      version->hash, effective_isa()};
}

std::vector<MatmulInfo> describe_block(std::size_t d_model, std::size_t d_ff, std::size_t T, OneDnnForm form,
                                       std::size_t threads) {
  return translating_errors([&] {
    const BlockShape shape{d_model, d_ff, form, {false, false}, false};
    const ThreadScope scope(threads);
    std::vector<MatmulInfo> infos;
    for (std::size_t i = 0; i <= shape.gate_up_matmuls(); ++i) {
      const auto desc = describe_matmul(shape, {T, d_model, d_model, false}, i);
      const bool down = i == shape.gate_up_matmuls();
      infos.push_back({down                       ? "down"
                       : form == OneDnnForm::wide ? "gate_up"
                       : i == 0                   ? "gate"
                                                  : "up",
                       desc.impl_info_str(), layout_name(desc.weights_desc())});
    }
    return infos;
  });
}

#else

std::optional<LoadedLibrary> loaded_library() { return std::nullopt; }

std::vector<MatmulInfo> describe_block(std::size_t, std::size_t, std::size_t, OneDnnForm, std::size_t) { return {}; }

#endif

}  // namespace swiglu::onednn
