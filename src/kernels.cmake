# Kernel sets: one short .cpp per ISA with flags of its own. To add an ISA: a file, a line here, an Isa value, a row in
# dispatch/isa.cpp.
#
# -march comes first so that a user's -march=native (CMAKE_CXX_FLAGS precede these) cannot put AVX-512 into the AVX2
# file, nor -march=haswell take AVX-512 out of the AVX-512 file. -O3 even in debug builds: unoptimised kernels are
# useless and would emit weak copies of inline functions that the linker may keep for baseline code (SIGILL on old
# CPUs). LTO is off for these files for the same reason.
add_library(swiglu_kernels OBJECT)
target_compile_features(swiglu_kernels PRIVATE cxx_std_17)
target_include_directories(swiglu_kernels PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
target_link_libraries(swiglu_kernels PRIVATE xsimd::xsimd)
# -Wno-psabi: GCC for AArch64 notes how it passes structs of vectors; nothing here passes them between files.
target_compile_options(swiglu_kernels PRIVATE ${swiglu_private_flags} -fno-exceptions -fno-rtti -Wno-psabi)
# xsimd asserts alignment in every aligned load: in an inner loop that is 30 extra branches, also in debug builds.
target_compile_definitions(swiglu_kernels PRIVATE NDEBUG)
set_target_properties(swiglu_kernels PROPERTIES
  POSITION_INDEPENDENT_CODE ON
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON
  INTERPROCEDURAL_OPTIMIZATION OFF)

set(SWIGLU_KERNEL_FLAGS "" CACHE STRING "More flags for the kernel files, a list (preset asan uses it)")
mark_as_advanced(SWIGLU_KERNEL_FLAGS)

function(swiglu_add_kernel_set isa)
  target_sources(swiglu_kernels PRIVATE kernels/kernels_${isa}.cpp)
  set_source_files_properties(kernels/kernels_${isa}.cpp PROPERTIES
    COMPILE_OPTIONS "-O3;-fno-lto;${ARGN};${SWIGLU_KERNEL_FLAGS}")
  string(TOUPPER ${isa} upper)
  target_compile_definitions(swiglu PRIVATE SWIGLU_HAVE_${upper}=1)
endfunction()

# GCC's own AVX-512 headers start from _mm512_undefined_*(), which its -Wuninitialized then reports (PR105593).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(swiglu_avx512_warnings -Wno-uninitialized -Wno-maybe-uninitialized)
endif()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  swiglu_add_kernel_set(portable -march=x86-64 -mtune=generic)
  swiglu_add_kernel_set(avx2 -march=x86-64 -mtune=generic -mavx2 -mfma)
  swiglu_add_kernel_set(avx512 -march=x86-64 -mtune=generic -mavx2 -mfma
                        -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl -mprefer-vector-width=512
                        ${swiglu_avx512_warnings})
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  swiglu_add_kernel_set(portable -march=armv8-a)
  swiglu_add_kernel_set(neon -march=armv8-a)
else()
  swiglu_add_kernel_set(portable)
endif()
target_sources(swiglu PRIVATE $<TARGET_OBJECTS:swiglu_kernels>)
