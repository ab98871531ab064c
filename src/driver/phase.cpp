#include "driver/phase.hpp"

#include <algorithm>
#include <atomic>

namespace swiglu {
namespace {

using kernels::kPanelColumns;

// One parallel phase. Workers take panels in shrinking chunks (a share of what is left), never one static slice each:
// when a neighbour takes half a core, the others take over its panels.
struct Phase {
  const PanelProduct* product;
  std::size_t panels;
  std::size_t workers;
  std::size_t min_chunk;
  float* partial;
  std::size_t partial_stride;
  std::atomic<std::size_t> next{0};

  struct Chunk {
    std::size_t first, last;
  };

  // Empty when nothing is left.
  Chunk take() {
    std::size_t begin = next.load(std::memory_order_relaxed);
    std::size_t end;
    do {
      if (begin >= panels) return {panels, panels};
      end = std::min(panels, begin + std::max(min_chunk, (panels - begin) / (2 * workers)));
    } while (!next.compare_exchange_weak(begin, end, std::memory_order_relaxed));
    return {begin, end};
  }

  // The next chunk is taken before this one is begun, so that its head can be prefetched: a chunk that starts cold
  // waits for memory (576/1536, 2 threads, T = 32: 82 → 87.5 % of the roofline).
  static void work(void* context, std::size_t worker) {
    Phase& phase = *static_cast<Phase*>(context);
    Chunk now = phase.take();
    while (now.first < now.last) {
      const Chunk then = phase.take();
      sweep_panels(*phase.product, now.first, now.last, then.first, phase.partial + worker * phase.partial_stride);
      now = then;
    }
  }
};

// Below this many multiply-adds a second worker costs more to wake (1–3 µs) than it saves: 256/256 at T = 1 (two phases
// of 131 and 65 thousand) takes 4.2 µs alone and 5.1 µs with two.
constexpr std::size_t kMinWorkPerWorker = 128 * 1024;

}  // namespace

std::size_t useful_workers(std::size_t multiply_adds, std::size_t workers) {
  return std::max<std::size_t>(1, std::min(workers, multiply_adds / kMinWorkPerWorker));
}

void run_phase(const PanelProduct& product, std::size_t panels, float* partial, std::size_t partial_stride,
               std::size_t rows, Executor* executor, std::size_t workers) {
  workers = useful_workers(panels * kPanelColumns * product.k * rows, std::min(workers, panels));
  if (workers == 1) {
    sweep_panels(product, 0, panels, panels, partial);
    return;
  }
  // Few rows: as many panels as the kernel takes at once. Many rows: one, since a panel is then long work and 18 of
  // them (d_model = 576) must come out even.
  const std::size_t min_chunk = product.tiles.count() == 1 ? product.tuning->streaming[rows].panels : 1;
  Phase phase{&product, panels, workers, min_chunk, partial, partial_stride, {}};
  executor->parallel_for(workers, &Phase::work, &phase);
}

}  // namespace swiglu
