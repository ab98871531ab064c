#include "validate.hpp"

#include <sstream>
#include <string>

#include "swiglu/error.h"
#include "swiglu/weights.h"

namespace swiglu {

ByteRows check_rows(const RowsArgument& a) {
  constexpr std::size_t element = sizeof(float);
  const auto size_text = [&a] {
    return std::to_string(a.rows) + " rows of " + a.width_name + " = " + std::to_string(a.width) + " floats";
  };
  if (a.data == nullptr) throw InvalidArgument(std::string(a.name) + " = null: must point to " + size_text());

  const auto begin = reinterpret_cast<std::uintptr_t>(a.data);
  if (begin % alignof(float) != 0) {
    std::ostringstream text;
    text << a.name << " = " << a.data << ": must be aligned to " << alignof(float) << " bytes (one element)";
    throw InvalidArgument(text.str());
  }

  std::size_t stride = a.stride == kDense ? a.width : a.stride;
  if (stride < a.width) {
    throw InvalidArgument(std::string(a.stride_name) + " = " + std::to_string(stride) + ": must be at least " +
                          a.width_name + " = " + std::to_string(a.width));
  }
  if (a.rows == 1) stride = a.width;

  std::size_t bytes = 0;
  std::uintptr_t end = 0;
  const bool overflow = __builtin_mul_overflow(a.rows - 1, stride, &bytes) ||
                        __builtin_add_overflow(bytes, a.width, &bytes) ||
                        __builtin_mul_overflow(bytes, element, &bytes) || __builtin_add_overflow(begin, bytes, &end);
  if (overflow || bytes > static_cast<std::size_t>(PTRDIFF_MAX)) {
    throw InvalidArgument(std::string(a.name) + ": " + size_text() + ", " + a.stride_name + " = " +
                          std::to_string(stride) + ", end beyond the address space");
  }
  return {begin, a.rows, a.width * element, stride * element};
}

ByteRows check_array(const char* name, const char* size_name, const float* data, std::size_t size) {
  return check_rows({name, name, size_name, data, 1, size, kDense});
}

bool rows_overlap(const ByteRows& a, const ByteRows& b) {
  if (a.end() <= b.begin || b.end() <= a.begin) return false;
  if (a.begin > b.begin) return rows_overlap(b, a);

  if (a.stride == b.stride) {
    // b starts `after` bytes (< stride) behind the start of a row of a, and stride - after before the start of the next
    // one; no row is longer than the stride, so it meets no third. Both rows exist where it matters: the ranges
    // overlap, so b starts before the end of a's last row.
    const std::size_t after = (b.begin - a.begin) % a.stride;
    return after < a.width || a.stride - after < b.width;
  }

  // Walk both in address order; the one that lies before the other jumps to its first row that ends behind its start.
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.rows && j < b.rows) {
    const std::uintptr_t a_row = a.begin + i * a.stride;
    const std::uintptr_t b_row = b.begin + j * b.stride;
    if (a_row + a.width <= b_row) {
      i += (b_row - a_row - a.width) / a.stride + 1;
    } else if (b_row + b.width <= a_row) {
      j += (a_row - b_row - b.width) / b.stride + 1;
    } else {
      return true;
    }
  }
  return false;
}

bool span_overlaps(const ByteRows& rows, std::uintptr_t begin, std::uintptr_t end) {
  return rows.begin < end && begin < rows.end();
}

bool same_rows(const ByteRows& a, const ByteRows& b) {
  return a.begin == b.begin && a.rows == b.rows && a.width == b.width && a.stride == b.stride;
}

void throw_overlap(const char* a_name, const void* a, const char* b_name, const void* b) {
  std::ostringstream text;
  text << a_name << " = " << a << " overlaps " << b_name << " = " << b << ": they must not share memory";
  throw InvalidArgument(text.str());
}

}  // namespace swiglu
