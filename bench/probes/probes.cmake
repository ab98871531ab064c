# One object file per instruction set, with the flags of that set only, as in src/kernels.cmake. Contraction is on here
# and only here: a probe of the multiply-add peak wants fused multiply-adds wherever the set has them.
add_library(swiglu_probes OBJECT probes/find_probe.cpp)
target_compile_features(swiglu_probes PRIVATE cxx_std_17)
target_link_libraries(swiglu_probes PRIVATE swiglu::swiglu)
target_compile_options(swiglu_probes PRIVATE -Wall -Wextra -Wshadow)
set_target_properties(swiglu_probes PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)

function(swiglu_add_probe isa)
  target_sources(swiglu_probes PRIVATE probes/probe_${isa}.cpp)
  set_source_files_properties(probes/probe_${isa}.cpp PROPERTIES
    COMPILE_OPTIONS "-O3;-fno-lto;-ffp-contract=fast;${ARGN}")
  string(TOUPPER ${isa} upper)
  set_property(SOURCE probes/find_probe.cpp APPEND PROPERTY COMPILE_DEFINITIONS BENCH_HAVE_${upper}=1)
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  swiglu_add_probe(portable -march=x86-64 -mtune=generic)
  swiglu_add_probe(avx2 -march=x86-64 -mtune=generic -mavx2 -mfma)
  swiglu_add_probe(avx512 -march=x86-64 -mtune=generic -mavx2 -mfma
                   -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl -mprefer-vector-width=512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  swiglu_add_probe(portable -march=armv8-a)
  swiglu_add_probe(neon -march=armv8-a)
else()
  swiglu_add_probe(portable)
endif()
