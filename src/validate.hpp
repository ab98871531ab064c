#pragma once

// Checks of arguments that are rows in the caller's memory. They build text only when they fail: a successful check
// allocates nothing (contract C6).

#include <cstddef>
#include <cstdint>

namespace swiglu {

/// Rows of f32 as the caller passed them; the names are the caller's, for messages. Sizes in elements.
struct RowsArgument {
  const char* name;         // "x"
  const char* stride_name;  // "x.stride"
  const char* width_name;   // "d_model"
  const float* data;
  std::size_t rows;    // ≥ 1
  std::size_t width;   // ≥ 1
  std::size_t stride;  // may be kDense
};

/// The same rows as byte addresses: row i is [begin + i·stride, begin + i·stride + width).
struct ByteRows {
  std::uintptr_t begin;
  std::size_t rows;
  std::size_t width;
  std::size_t stride;

  std::uintptr_t end() const { return begin + (rows - 1) * stride + width; }
  std::size_t stride_elements() const { return stride / sizeof(float); }
};

/// Throws InvalidArgument unless data is non-null and element-aligned, stride ≥ width, and the rows end within the
/// address space. The returned stride is never kDense; of a single row it is the width.
ByteRows check_rows(const RowsArgument& argument);

/// A contiguous f32 array of `size` ≥ 1 elements: check_rows with one row.
ByteRows check_array(const char* name, const char* size_name, const float* data, std::size_t size);

/// True if some row of a and some row of b share a byte. Exact: rows that only interleave do not.
bool rows_overlap(const ByteRows& a, const ByteRows& b);

/// True if any byte of the span from the first to the last row lies in [begin, end).
bool span_overlaps(const ByteRows& rows, std::uintptr_t begin, std::uintptr_t end);

/// Same memory, row by row.
bool same_rows(const ByteRows& a, const ByteRows& b);

/// Throws InvalidArgument saying that both arguments overlap.
[[noreturn]] void throw_overlap(const char* a_name, const void* a, const char* b_name, const void* b);

}  // namespace swiglu
