// The library's own backend: packed panels + driver + kernel set.

#include <algorithm>
#include <sstream>

#include "backend.hpp"
#include "dispatch/kernel_sets.hpp"
#include "dispatch/tuning.hpp"
#include "driver/driver.hpp"
#include "glu.hpp"
#include "memory/page_buffer.hpp"
#include "packing/pack_panels.hpp"
#include "threading/shared_thread_pool.hpp"

namespace swiglu {
namespace {

struct PackTask {
  const BlockWeights* weights;
  void (*pack)(const BlockWeights&, std::size_t, std::size_t, float*);
  float* panels;
  std::size_t count;

  // Panels per task: enough that [in,out] weights are read along their rows (pack_panels.cpp).
  static constexpr std::size_t kChunk = 8;

  static void run(void* context, std::size_t chunk) {
    const PackTask& task = *static_cast<const PackTask*>(context);
    task.pack(*task.weights, chunk * kChunk, std::min(task.count, (chunk + 1) * kChunk), task.panels);
  }

  void run_on(Executor& executor) { executor.parallel_for((count + kChunk - 1) / kChunk, &PackTask::run, this); }
};

class NativeBackend final : public BlockBackend {
 public:
  NativeBackend(const BlockWeights& weights, const Options& options)
      : tuning_(choose_tuning()),
        layout_(packed_layout(weights.d_model, weights.d_ff)),
        executor_(options.executor ? options.executor : shared_thread_pool(options.threads)),
        workers_(std::max<std::size_t>(1, executor_->concurrency())),
        panels_(layout_.floats() * sizeof(float)) {
    auto* gate_up = static_cast<float*>(panels_.data());
    float* down = gate_up + layout_.gate_up_floats();
    PackTask{&weights, &pack_gate_up, gate_up, layout_.gate_up_panels}.run_on(*executor_);
    PackTask{&weights, &pack_down, down, layout_.down_panels}.run_on(*executor_);
    const kernels::KernelSet& set = kernel_set(options.isa);
    block_ = {
        &set, &tuning_.of(set), bind_glu(set, options.activation), weights.d_model, weights.d_ff, layout_, gate_up,
        down};
  }

  void forward(const ForwardCall& call) const override { run_block(block_, call, executor_.get(), workers_); }

  std::size_t workspace_bytes(std::size_t T) const noexcept override {
    return workspace_layout(block_, T, workers_).bytes();
  }
  std::size_t packed_bytes() const noexcept override { return panels_.size(); }
  std::size_t threads() const noexcept override { return workers_; }
  Isa isa() const noexcept override { return block_.set->isa; }

  std::string explain() const override {
    std::ostringstream text;
    text << "backend native: tile of " << block_.set->tile_rows << " rows x 32 columns, "
         << (block_.set->tall_rows == 0 ? "" : "of " + std::to_string(block_.set->tall_rows) + " x 16 twice, ")
         << "k blocks of " << block_.tuning->k_block << ", up to " << workers_
         << (workers_ == 1 ? " thread\n" : " threads\n") << "tuning: " << tuning_.why
         << "\npacked weights: " << panels_.size() << " bytes, " << panels_.huge_bytes() << " of them on huge pages\n";
    return text.str();
  }

 private:
  TuningChoice tuning_;
  PackedLayout layout_;
  std::shared_ptr<Executor> executor_;
  std::size_t workers_;
  PageBuffer panels_;
  PackedBlock block_;
};

}  // namespace

std::unique_ptr<BlockBackend> make_native_backend(const BlockWeights& weights, const Options& options) {
  return std::make_unique<NativeBackend>(weights, options);
}

}  // namespace swiglu
