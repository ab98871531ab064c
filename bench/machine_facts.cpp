#include "machine_facts.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>

#include "cpus.hpp"
#include "git_info.hpp"
#include "onednn/onednn_info.hpp"
#include "swiglu/isa.h"
#include "swiglu/version.h"

namespace swiglu::bench {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

void set_text(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json.set(key, text);
}

/// "key : value" files; the first occurrence counts.
std::map<std::string, std::string> key_values(const std::string& path) {
  std::map<std::string, std::string> result;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto key_end = line.find_last_not_of(" \t", colon == 0 ? 0 : colon - 1);
    const auto value = line.find_first_not_of(" \t", colon + 1);
    if (key_end == std::string::npos || value == std::string::npos) continue;
    result.emplace(line.substr(0, key_end + 1), line.substr(value));
  }
  return result;
}

std::size_t memory_kib(const std::map<std::string, std::string>& meminfo, const char* key) {
  const auto at = meminfo.find(key);
  return at == meminfo.end() ? 0 : std::strtoull(at->second.c_str(), nullptr, 10);
}

std::string os_name() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("PRETTY_NAME=", 0) == 0 && line.size() > 14) return line.substr(13, line.size() - 14);
  }
  return "";
}

std::string utc_now() {
  const std::time_t t = std::time(nullptr);
  char text[40];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", std::gmtime(&t));
  return text;
}

}  // namespace

std::size_t available_memory() {
  std::size_t bytes = memory_kib(key_values("/proc/meminfo"), "MemAvailable") * 1024;
  if (bytes == 0) {  // a container without /proc
    bytes = static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  }
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    const std::size_t limit = std::strtoull(first_line(path).c_str(), nullptr, 10);  // "max" is 0
    if (limit > 0) bytes = std::min(bytes, limit);
  }
  return bytes;
}

std::size_t huge_page_bytes() { return memory_kib(key_values("/proc/self/smaps_rollup"), "AnonHugePages") * 1024; }

Json machine_facts(const ReportedCaches& caches, const std::vector<int>& cpus) {
  Json json;
  const auto cpu = key_values("/proc/cpuinfo");
  const auto text = [&](const char* key, const char* field) {
    if (const auto at = cpu.find(key); at != cpu.end()) json.set(field, at->second);
  };
  text("model name", "cpu_model");
  text("vendor_id", "vendor");
  text("cpu family", "family");
  text("model", "model");
  text("stepping", "stepping");
  text("microcode", "microcode");
  Json available = Json::array();
  for (const Isa isa : supported_isas()) available.push(swiglu::to_string(isa));
  json.set("isa_available", available);
  Json allowed = Json::array();
  for (const int c : cpus) allowed.push(c);
  json.set("cores", physical_cores(cpus)).set("cpus_allowed", allowed);
  json.set("smt", physical_cores(cpus) < cpus.size());
  int nodes = 0;
  while (access(("/sys/devices/system/node/node" + std::to_string(nodes)).c_str(), F_OK) == 0) ++nodes;
  json.set("numa_nodes", nodes);
  json.set("mem_total", memory_kib(key_values("/proc/meminfo"), "MemTotal") * 1024);
  json.set("mem_available", available_memory());
  Json reported;
  reported.set("sysfs", caches.sysfs).set("cpuid", caches.cpuid).set("sysconf", caches.sysconf);
  json.set("caches_reported", reported);
  set_text(json, "thp", first_line("/sys/kernel/mm/transparent_hugepage/enabled"));
  set_text(json, "governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
  set_text(json, "boost", first_line("/sys/devices/system/cpu/cpufreq/boost"));
  const auto flags = cpu.find("flags");
  const bool hypervisor = flags != cpu.end() && flags->second.find("hypervisor") != std::string::npos;
  json.set("virt",
           hypervisor ? first_line("/sys/class/dmi/id/sys_vendor") + " (hypervisor)" : std::string("none seen"));
  set_text(json, "clocksource", first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
  json.set("pmu", access("/sys/bus/event_source/devices/cpu", F_OK) == 0);
  set_text(json, "cgroup_cpu_quota", first_line("/sys/fs/cgroup/cpu.max"));
  set_text(json, "os", os_name());
  utsname names;
  if (uname(&names) == 0) json.set("kernel", std::string(names.release));
  return json;
}

Json build_context() {
  Json json;
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  json.set("date", utc_now()).set("host_name", host);
  json.set("num_cpus", std::thread::hardware_concurrency());
  const auto cpu = key_values("/proc/cpuinfo");
  const auto mhz = cpu.find("cpu MHz");
  json.set("mhz_per_cpu", mhz == cpu.end() ? 0 : std::atoi(mhz->second.c_str()));
  json.set("cpu_scaling_enabled", false).set("caches", Json::array());
  Json load = Json::array();
  double averages[3];
  for (int i = 0, n = getloadavg(averages, 3); i < n; ++i) load.push(averages[i]);
  json.set("load_avg", load);
  // The kernels' build type, not that of the Google Benchmark package: Debian's says "debug" and means nothing.
  json.set("library_build_type", BENCH_BUILD_TYPE).set("json_schema_version", 1).set("ffn_schema", "swiglu-bench/1");
  json.set("git_sha", BENCH_GIT_SHA).set("git_dirty", BENCH_GIT_DIRTY);
  json.set("compiler", BENCH_COMPILER).set("flags", BENCH_FLAGS);
  const auto library = onednn::loaded_library();
  json.set("swiglu_version", swiglu::version());
  json.set("onednn_version", library ? library->version : std::string("none"));
  json.set("xsimd_version", BENCH_XSIMD_VERSION).set("benchmark_version", BENCH_GOOGLE_BENCHMARK_VERSION);
  return json;
}

}  // namespace swiglu::bench
