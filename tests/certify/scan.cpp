#include "certify/scan.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "support/ulp.hpp"

namespace swiglu::certify {
namespace {

constexpr std::size_t kChunk = 1 << 16;  // inputs, exact values and results of a chunk stay in the second-level cache

constexpr std::uint64_t kHashStart = 0xcbf29ce484222325u;
std::uint64_t hash_word(std::uint64_t hash, std::uint64_t word) { return (hash ^ word) * 0x100000001b3u; }

void add(Count& count, float input) {
  if (count.times++ == 0) count.first = input;
}

void add(Count& sum, const Count& next) {
  if (sum.times == 0) sum.first = next.first;
  sum.times += next.times;
}

void raise(Worst& worst, double ulp, float input, float output) {
  if (ulp > worst.ulp) worst = {ulp, input, output};
}

/// What one kernel did on one chunk; `hash` is the chunk's.
struct Part : Scan {
  double sum = 0;
  std::uint64_t summed = 0;
  float first_input = 0, first_output = 0, last_input = 0, last_output = 0;
};

/// Left neighbour first.
bool falls(float left_input, float left_output, float output, double rises_from) {
  return left_input >= rises_from && output < left_output;  // false if one is NaN
}

Part examine(const std::vector<float>& in, const std::vector<double>& exact, const std::vector<float>& out,
             std::size_t n, double rises_from) {
  Part part;
  part.inputs = n;
  part.hash = kHashStart;
  for (std::size_t i = 0; i < n; ++i) {
    part.hash = hash_word(part.hash, std::isnan(out[i]) ? 0x7fc00000u : testing::bits_of(out[i]));

    const double error = testing::ulp_error(out[i], exact[i]);
    if (error == std::numeric_limits<double>::infinity()) {
      add(part.wrong_class, in[i]);
    } else if (!std::isnan(exact[i])) {
      part.sum += error;
      ++part.summed;
      const bool normal = std::fabs(exact[i]) >= 0x1p-126;
      raise(normal ? part.normal : part.subnormal, error, in[i], out[i]);
      if (out[i] == 0 && std::fabs(exact[i]) >= 0x1p-149) add(part.flushed, in[i]);
    }
    if (i > 0 && falls(in[i - 1], out[i - 1], out[i], rises_from)) add(part.falls, in[i]);
  }
  part.first_input = in[0];
  part.first_output = out[0];
  part.last_input = in[n - 1];
  part.last_output = out[n - 1];
  return part;
}

/// Chunks in the order of the stream, so that sums and hashes do not depend on which thread was first.
Scan merge(const std::vector<Part>& parts, double rises_from) {
  Scan whole;
  whole.hash = kHashStart;
  double sum = 0;
  std::uint64_t summed = 0;
  for (std::size_t c = 0; c < parts.size(); ++c) {
    const Part& part = parts[c];
    whole.inputs += part.inputs;
    raise(whole.normal, part.normal.ulp, part.normal.input, part.normal.output);
    raise(whole.subnormal, part.subnormal.ulp, part.subnormal.input, part.subnormal.output);
    if (c > 0 && falls(parts[c - 1].last_input, parts[c - 1].last_output, part.first_output, rises_from)) {
      add(whole.falls, part.first_input);
    }
    add(whole.falls, part.falls);
    add(whole.wrong_class, part.wrong_class);
    add(whole.flushed, part.flushed);
    sum += part.sum;
    summed += part.summed;
    whole.hash = hash_word(whole.hash, part.hash);
  }
  whole.mean_ulp = summed > 0 ? sum / static_cast<double>(summed) : 0;
  return whole;
}

}  // namespace

std::vector<Scan> scan(double (*reference)(double), double rises_from, const std::vector<Kernel>& kernels,
                       const Stream& stream, const ScanOptions& options) {
  const std::uint64_t chunks = (stream.size() + kChunk - 1) / kChunk;
  std::vector<std::vector<Part>> parts(kernels.size(), std::vector<Part>(chunks));
  std::atomic<std::uint64_t> next{0}, done{0};
  std::atomic<std::size_t> working{options.threads};

  const auto work = [&] {
    std::vector<float> in(kChunk), out(kChunk);
    std::vector<double> exact(kChunk);
    while (!options.stop || !options.stop()) {
      const std::uint64_t c = next++;
      if (c >= chunks) break;
      const std::uint64_t begin = c * kChunk;
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, stream.size() - begin));
      for (std::size_t i = 0; i < n; ++i) in[i] = stream[begin + i];
      for (std::size_t i = 0; i < n; ++i) exact[i] = reference(in[i]);
      for (std::size_t k = 0; k < kernels.size(); ++k) {
        kernels[k](in.data(), out.data(), n);
        parts[k][c] = examine(in, exact, out, n, rises_from);
      }
      ++done;
    }
    --working;
  };

  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < options.threads; ++t) threads.emplace_back(work);
  while (working > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(chunks < 1000 ? 1 : 100));
    if (options.progress) options.progress(static_cast<double>(done) / static_cast<double>(chunks));
  }
  for (std::thread& thread : threads) thread.join();
  if (done < chunks) throw Interrupted();

  std::vector<Scan> result;
  for (const std::vector<Part>& of_kernel : parts) result.push_back(merge(of_kernel, rises_from));
  return result;
}

}  // namespace swiglu::certify
