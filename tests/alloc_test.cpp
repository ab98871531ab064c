// Contract C6: forward() allocates nothing, takes no lock with one thread, reads no environment, and its first call
// does no more than its thousandth. This executable replaces malloc and friends, the pthread locks and getenv by
// functions that count, so it holds no tests of other things (but for affinity_test, which replaces functions as well).

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <swiglu/swiglu.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "support/block_case.hpp"
#include "support/isa_param.hpp"
#include "support/random.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#error "sanitizers replace malloc themselves: leave this executable out"
#endif

namespace {

struct Counts {
  std::atomic<int> allocations, locks, environment_reads;
};
Counts counts;
std::atomic<bool> armed{false};

void count(std::atomic<int>& counter) {
  if (armed.load(std::memory_order_relaxed)) ++counter;
}

// The function of that name behind ours. dlsym may allocate: it gets our malloc, which does not need it.
template <class F>
F next(F, const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// glibc's own names, so that malloc works before anything is resolved.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t n) {
  count(counts.allocations);
  return __libc_malloc(n);
}
void* calloc(std::size_t n, std::size_t size) {
  count(counts.allocations);
  return __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t n) {
  count(counts.allocations);
  return __libc_realloc(p, n);
}
void* memalign(std::size_t alignment, std::size_t n) {
  count(counts.allocations);
  return __libc_memalign(alignment, n);
}
void* aligned_alloc(std::size_t alignment, std::size_t n) { return memalign(alignment, n); }
int posix_memalign(void** p, std::size_t alignment, std::size_t n) {
  *p = memalign(alignment, n);
  return *p == nullptr ? ENOMEM : 0;
}
void free(void* p) {
  count(counts.allocations);
  __libc_free(p);
}

int pthread_mutex_lock(pthread_mutex_t* m) {
  static const auto real = next(&pthread_mutex_lock, "pthread_mutex_lock");
  count(counts.locks);
  return real(m);
}
int pthread_mutex_trylock(pthread_mutex_t* m) {
  static const auto real = next(&pthread_mutex_trylock, "pthread_mutex_trylock");
  count(counts.locks);
  return real(m);
}
int pthread_rwlock_rdlock(pthread_rwlock_t* l) {
  static const auto real = next(&pthread_rwlock_rdlock, "pthread_rwlock_rdlock");
  count(counts.locks);
  return real(l);
}
int pthread_once(pthread_once_t* once, void (*routine)()) {
  static const auto real = next(&pthread_once, "pthread_once");
  count(counts.locks);
  return real(once, routine);
}

char* getenv(const char* name) noexcept {
  static const auto real = next(static_cast<char* (*)(const char*)>(&getenv), "getenv");
  count(counts.environment_reads);
  return real(name);
}
}  // extern "C"

namespace swiglu::testing {
namespace {

struct Seen {
  int allocations, locks, environment_reads;
};

template <class F>
Seen during(F&& f) {
  counts.allocations = counts.locks = counts.environment_reads = 0;
  armed = true;
  f();
  armed = false;
  return {counts.allocations, counts.locks, counts.environment_reads};
}

class RealTime : public IsaTest {
 protected:
  FeedForward make(std::size_t threads, const Activation& activation = {}) {
    Options options = single_threaded(GetParam());
    options.threads = threads;
    options.activation = activation;
    return FeedForward(block_.d_model, block_.d_ff, block_.weights(), options);
  }

  BlockCase block_ = random_block(301, 500);
};
SWIGLU_FOR_EVERY_ISA(RealTime);

// A test of the test: what it counts must be seen.
TEST(Interposer, SeesAllocationsLocksAndGetenv) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const Seen seen = during([&] {
    delete[] new std::vector<float>[ 3 ];
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    if (std::getenv("SWIGLU_ISA") == nullptr) std::free(std::malloc(8));
    const Workspace workspace(100);
  });
  EXPECT_GE(seen.allocations, 5);
  EXPECT_GE(seen.locks, 1);
  EXPECT_GE(seen.environment_reads, 1);
}

TEST_P(RealTime, ForwardAllocatesAndLocksNothing) {
  const FeedForward ff = make(1);
  const Workspace workspace = ff.make_workspace();
  for (std::size_t T : {1, 2, 3, 7, 16, 64, 300}) {
    const std::vector<float> x = random_floats(T * block_.d_model, T);
    std::vector<float> y(x.size());
    for (bool accumulate : {false, true}) {  // the very first call of the object is among them
      const Seen seen = during([&] { ff.forward({x.data()}, {y.data()}, T, workspace, accumulate); });
      EXPECT_EQ(seen.allocations, 0) << "T " << T;
      EXPECT_EQ(seen.locks, 0) << "T " << T;
      EXPECT_EQ(seen.environment_reads, 0) << "T " << T;
    }
  }
}

TEST_P(RealTime, OtherActivationsAllocateAndLockNothing) {
  const std::vector<float> x = random_floats(16 * block_.d_model, 1);
  std::vector<float> y(x.size());
  for (const Preset preset : all_presets()) {
    const FeedForward ff = make(1, preset);
    const Workspace workspace = ff.make_workspace();
    const Seen seen = during([&] {
      ff.forward({x.data()}, {y.data()}, 1, workspace);
      ff.forward({x.data()}, {y.data()}, 16, workspace);
    });
    EXPECT_EQ(seen.allocations, 0) << to_string(preset);
    EXPECT_EQ(seen.locks, 0) << to_string(preset);
    EXPECT_EQ(seen.environment_reads, 0) << to_string(preset);
  }
}

// With a pool, waking workers needs a lock, but still no memory: not even in the first call.
TEST_P(RealTime, ForwardOnAPoolAllocatesNothing) {
  const FeedForward ff = make(2);
  const Workspace workspace = ff.make_workspace();
  for (std::size_t T : {1, 7, 64, 300, 450}) {
    const std::vector<float> x = random_floats(T * block_.d_model, T);
    std::vector<float> y(x.size());
    for (int call = 0; call < 3; ++call) {
      const Seen seen = during([&] { ff.forward({x.data()}, {y.data()}, T, workspace); });
      EXPECT_EQ(seen.allocations, 0) << "T " << T << ", call " << call;
      EXPECT_EQ(seen.environment_reads, 0) << "T " << T << ", call " << call;
    }
  }
}

TEST_P(RealTime, ElementwiseAllocatesAndLocksNothing) {
  const std::vector<float> g = random_floats(1000, 1);
  std::vector<float> out(g.size()), d_up(g.size());
  const Isa isa = GetParam();
  const Seen seen = during([&] {
    silu(g.data(), out.data(), g.size(), isa);
    silu_mul(g.data(), g.data(), out.data(), g.size(), isa);
    silu_mul_rows(GateUpLayout::halves_gate_first, g.data(), 100, out.data(), 50, 10, 50, isa);
    apply(Function::gelu_erf, g.data(), out.data(), g.size(), isa);
    for (const Activation& a : {Activation(Preset::gpt_oss), Activation(Preset::situ)}) {
      glu(a, g.data(), g.data(), out.data(), g.size(), isa);
      glu_backward(a, g.data(), g.data(), g.data(), out.data(), d_up.data(), g.size(), isa);
    }
  });
  EXPECT_EQ(seen.allocations, 0);
  EXPECT_EQ(seen.locks, 0);
  EXPECT_EQ(seen.environment_reads, 0);
}

}  // namespace
}  // namespace swiglu::testing
