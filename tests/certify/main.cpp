// swiglu-certify: see options.cpp for what it does, functions.cpp for the functions.

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "bench/clock.hpp"
#include "bench/progress.hpp"
#include "certify/certificate.hpp"
#include "certify/options.hpp"
#include "dispatch/kernel_sets.hpp"
#include "swiglu/swiglu.h"

namespace swiglu::certify {
namespace {

enum ExitCode { kKept = 0, kBroken = 1, kCouldNot = 2 };

Kernel kernel_of(const Function& function, Isa isa) {
  if (function.run == nullptr) {
    throw UsageError(std::string("the library has no ") + function.name + " kernel; --isa reference can evaluate it");
  }
  const kernels::KernelSet& set = kernel_set(isa);
  return [&function, &set](const float* in, float* out, std::size_t n) { function.run(set, in, out, n); };
}

/// "[=======>            ]  37 %  silu  1:05, about 1:50 left" on one line of a terminal; silent in a file.
class Bar {
 public:
  explicit Bar(std::size_t functions) : functions_(functions), on_(isatty(STDERR_FILENO) == 1), begin_(bench::now()) {}
  ~Bar() {
    if (on_) std::fprintf(stderr, "\r\033[K");
  }

  void show(std::size_t function, const char* name, double fraction) const {
    if (!on_) return;
    const double whole = (static_cast<double>(function) + fraction) / static_cast<double>(functions_);
    const double elapsed = bench::now() - begin_;
    constexpr int kWidth = 30;
    std::string bar(kWidth, ' ');
    for (int i = 0; i < kWidth && i < whole * kWidth; ++i) bar[i] = '=';
    const std::string left = whole > 0.005 ? ", about " + bench::minutes(elapsed / whole - elapsed) + " left" : "";
    std::fprintf(stderr, "\r\033[K[%s] %3.0f %%  %s  %s%s", bar.c_str(), 100 * whole, name,
                 bench::minutes(elapsed).c_str(), left.c_str());
  }

 private:
  std::size_t functions_;
  bool on_;
  double begin_;
};

std::vector<Isa> isas_of(const Options& options) {
  if (options.isas.empty()) return supported_isas();
  std::vector<Isa> isas;
  for (const std::string& name : options.isas) isas.push_back(resolve_isa(parse_isa(name)));
  return isas;
}

int list() {
  for (const Function& function : functions()) {
    std::printf("%-12s %s\n", function.name, function.run == nullptr ? "reference only" : "");
  }
  return kKept;
}

int evaluate(const Options& options) {
  const Function& function = find_function(options.eval);
  if (options.isas.size() > 1) throw UsageError("--eval takes one --isa");
  const bool reference = !options.isas.empty() && options.isas[0] == "reference";
  Kernel kernel;
  if (!reference) kernel = kernel_of(function, options.isas.empty() ? resolve_isa() : isas_of(options)[0]);
  for (std::string line; std::getline(std::cin, line);) {
    char* end = nullptr;
    const float in = std::strtof(line.c_str(), &end);
    if (line.empty() || *end != '\0') throw UsageError("--eval: '" + line + "' is not a number");
    float out = 0;
    if (kernel) kernel(&in, &out, 1);
    std::printf("%s %s\n", hex(in).c_str(), hex(reference ? function.reference(in) : out).c_str());
  }
  return kKept;
}

/// A file that appears under its name only when it is complete. Refuses an unwritable place before the work begins.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& name) : name_(name), part_(name + ".part"), stream_(part_) {
    if (!stream_) throw UsageError("--out: " + part_ + " cannot be written");
  }
  ~AtomicFile() {
    std::error_code ignored;
    if (!done_) std::filesystem::remove(part_, ignored);
  }

  void write(const std::string& text) {
    stream_ << text;
    stream_.close();
    if (!stream_) throw std::runtime_error("writing " + part_ + " failed");
    std::filesystem::rename(part_, name_);
    done_ = true;
  }

 private:
  std::string name_, part_;
  std::ofstream stream_;
  bool done_ = false;
};

nlohmann::ordered_json read_json(const std::string& name) {
  std::ifstream file(name);
  if (!file) throw UsageError("--expect: " + name + " cannot be read");
  try {
    return nlohmann::ordered_json::parse(file);
  } catch (const nlohmann::ordered_json::exception& error) {
    throw UsageError("--expect: " + name + ": " + error.what());
  }
}

Certificate certify(const Options& options) {
  const std::vector<std::string> names = options.functions.empty() ? certifiable() : options.functions;
  const std::vector<Isa> isas = isas_of(options);
  Certificate certificate{options.stream, {}};
  const Bar bar(names.size());
  for (std::size_t f = 0; f < names.size(); ++f) {
    const Function& function = find_function(names[f]);
    std::vector<Kernel> kernels;
    for (const Isa isa : isas) kernels.push_back(kernel_of(function, isa));
    ScanOptions scan_options;
    scan_options.threads = options.threads > 0 ? options.threads : default_thread_count();
    scan_options.progress = [&](double fraction) { bar.show(f, function.name, fraction); };
    scan_options.stop = bench::interrupted;
    const std::vector<Scan> scans =
        scan(function.reference, function.rises_from, kernels, options.stream, scan_options);
    for (std::size_t i = 0; i < isas.size(); ++i) {
      certificate.entries.push_back({&function, isas[i], scans[i], special_values(function, kernels[i])});
    }
  }
  return certificate;
}

int run(const Options& options) {
  for (const std::string& name : options.functions) find_function(name);
  nlohmann::ordered_json expected;
  if (!options.expect.empty()) expected = read_json(options.expect);
  AtomicFile file(options.out);

  const Certificate certificate = certify(options);
  std::vector<std::string> disagreements;
  try {
    disagreements = certificate.disagreements(options.expect.empty() ? nullptr : &expected);
  } catch (const std::invalid_argument& error) {
    throw UsageError("--expect: " + options.expect + ": " + error.what());
  }
  file.write(to_json(certificate, disagreements).dump(1) + "\n");

  bool kept = disagreements.empty();
  if (options.markdown) std::fputs(to_markdown(certificate).c_str(), stdout);
  for (const Entry& entry : certificate.entries) {
    const bool broken = !entry.broken().empty();
    if (!options.markdown || broken) {
      std::fprintf(options.markdown ? stderr : stdout, "%s\n", to_text(entry).c_str());
    }
    kept = kept && !broken;
  }
  for (const std::string& line : disagreements) std::fprintf(stderr, "DIFFERENT BITS: %s\n", line.c_str());
  return kept ? kKept : kBroken;
}

int dispatch(const Options& options) {
  if (options.help) {
    std::fputs(help_text().c_str(), stdout);
    return kKept;
  }
  if (options.version) {
    std::printf("swiglu-certify %s\n", version());
    return kKept;
  }
  if (options.list) return list();
  if (!options.eval.empty()) return evaluate(options);
  bench::catch_interrupts();
  return run(options);
}

}  // namespace
}  // namespace swiglu::certify

int main(int argc, char** argv) {
  try {
    return swiglu::certify::dispatch(swiglu::certify::parse_options(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "swiglu-certify: %s\n", error.what());
    return swiglu::certify::kCouldNot;
  }
}
