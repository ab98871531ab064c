#pragma once

// Results files in both directions: whole or not at all out, and back in what a run needs to go on from one.

#include <string>
#include <vector>

#include "json.hpp"
#include "measurement.hpp"
#include "options.hpp"

namespace swiglu::bench {

/// Replaces `path` by a file with this text, or leaves it as it was and throws std::runtime_error.
void write_whole(const std::string& path, const std::string& text);

/// Throws UsageError if nothing could be written there; better now than after five minutes. Leaves nothing behind.
void check_writable(const std::string& option, const std::string& path);

/// The document {context, machine, calibration, benchmarks, pairs, samples, checks} as json, as jsonl (one row per
/// line), as csv (rows, the union of their columns) or as md (a table of rows, one of pairs).
std::string document_text(const Json& document, Format format);

/// Reads a document. Throws UsageError, in one line that names the file, if it cannot be read, is cut short, or is not
/// one of `swiglu-bench paired`.
Json read_document(const std::string& option, const std::string& path);

/// What `document` has measured of `points`, in their order; points it does not know come back empty. Throws
/// std::runtime_error if fields are missing.
std::vector<PointResult> read_results(const Json& document, const std::vector<Point>& points);

}  // namespace swiglu::bench
