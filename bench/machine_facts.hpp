#pragma once

#include <vector>

#include "caches.hpp"
#include "json.hpp"

namespace swiglu::bench {

/// Bytes of memory that are free for use now; a cgroup limit counts.
std::size_t available_memory();

/// Bytes of this process that are on transparent huge pages; 0 where the system does not tell.
std::size_t huge_page_bytes();

/// What the system says about itself; unknown facts are left out. Measured facts are added by the caller. `cpus`: those
/// this process was given, before it pinned itself.
Json machine_facts(const ReportedCaches& caches, const std::vector<int>& cpus);

/// Google Benchmark's context fields and ours: versions, commit, flags.
Json build_context();

}  // namespace swiglu::bench
