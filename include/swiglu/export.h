#pragma once

// Only what carries SWIGLU_API leaves the shared library; everything else is hidden (two copies of different versions
// can then live in one process).
#if defined(__GNUC__)
#define SWIGLU_API __attribute__((visibility("default")))
#else
#define SWIGLU_API
#endif
