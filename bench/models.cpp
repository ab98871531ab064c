#include "models.hpp"

namespace swiglu::bench {

const std::vector<Model>& models() {
  static const std::vector<Model> table = {
      {"tiny-384", 384, 1024},        {"SmolLM2-135M", 576, 1536},  {"SmolLM2-360M", 960, 2560},
      {"Qwen2.5-0.5B", 896, 4864},    {"Qwen3-0.6B", 1024, 3072},   {"Qwen2.5-1.5B", 1536, 8960},
      {"TinyLlama-1.1B", 2048, 5632}, {"Llama-3.2-1B", 2048, 8192}, {"Llama-3.2-3B", 3072, 8192},
      {"Qwen2.5-7B", 3584, 18944},    {"LLaMA-7B", 4096, 11008},    {"Llama-3-8B", 4096, 14336},
      {"LLaMA-13B", 5120, 13824},     {"LLaMA-65B", 8192, 22016},
  };
  return table;
}

}  // namespace swiglu::bench
