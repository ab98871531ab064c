#pragma once

// What can be measured. A new implementation is one file here: a BlockObject, an Implementation, and the line that
// lists it in registry.cpp (and in CMakeLists.txt).

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "swiglu/feed_forward.h"

namespace swiglu::bench {

/// Which function the block computes.
enum class Family {
  ffn,   ///< (act(x·W_gate) ⊙ (x·W_up))·W_down, act = silu unless --activation says otherwise
  ffn2,  ///< act(x·W1)·W2 with d_ff = 4·d_model: the same number of parameters in two matrices
};

/// What the pairs of the results call an implementation beside native.
enum class Role { ours, rival, peer, fusion, ffn2, reference };

/// Seconds of the parts of one call.
struct Phases {
  double gate_up = 0, activation = 0, down = 0;
};

/// One block with its weights, as one layer of a model holds it.
class BlockObject {
 public:
  virtual ~BlockObject() = default;

  virtual std::size_t workspace_bytes(std::size_t T) const = 0;
  virtual std::size_t packed_bytes() const = 0;

  /// x and y are [T][d_model], dense. The first call of a T may compile what later ones reuse.
  virtual void forward(const float* x, float* y, std::size_t T, const Workspace& workspace) = 0;

  /// Phases of the last forward(); null if the implementation has none.
  virtual const Phases* phases() const { return nullptr; }

  /// One line: what runs for calls of T rows.
  virtual std::string detail(std::size_t T) const = 0;
};

struct ObjectRequest {
  std::size_t d_model, d_ff;
  const Weights& weights;         ///< of ffn2: gate is W1, down is W2; biases absent
  const std::string& activation;  ///< as parse_activation reads it, empty = swiglu; of ffn2: its gate factor alone
  Isa isa;
  std::size_t threads;
  std::shared_ptr<Executor> executor;  ///< of `threads` threads, shared by all objects of an arm
};

struct Implementation {
  const char* name;   ///< in rows and in --impl
  const char* alias;  ///< accepted in --impl; null = none
  const char* what;   ///< for --help
  Family family;
  Role role;
  bool own_isa;  ///< picks its instruction set itself, once per process: a contestant only on the ISA that it is capped
                 ///< to
  /// Why this build or machine does not have it; empty if it does.
  std::string (*missing)();
  std::unique_ptr<BlockObject> (*create)(const ObjectRequest&);
  bool any_activation = false;  ///< else it has only swiglu (ffn2: silu)
};

/// For Implementation::missing of what is always there.
inline std::string nothing_missing() { return {}; }

/// All, in the order in which help and reports list them.
const std::vector<const Implementation*>& implementations();

/// By name or alias. Throws UsageError, which names `option` and the nearest name.
const Implementation& find_implementation(const std::string& name, const std::string& option);

// One per file here.
extern const Implementation kNative;
extern const Implementation kUnfused;
extern const Implementation kOnednnWide;
extern const Implementation kOnednnPostOps;
extern const Implementation kOnednnPlain;
extern const Implementation kOpenblas;
extern const Implementation kEigen;
extern const Implementation kReference;
extern const Implementation kFfn2;
extern const Implementation kFfn2Onednn;

}  // namespace swiglu::bench
