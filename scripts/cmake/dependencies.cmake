# What the library is built on. Found, never fetched: in the system, or in a prefix (scripts/setup fills .deps/local).
find_package(xsimd 13 REQUIRED)
find_package(Threads REQUIRED)
find_package(pthreadpool REQUIRED)

set(swiglu_onednn_found FALSE)
if(SWIGLU_WITH_ONEDNN STREQUAL "AUTO")
  find_package(dnnl 3 QUIET CONFIG) # 2.x has another API
  set(swiglu_onednn_found ${dnnl_FOUND})
elseif(SWIGLU_WITH_ONEDNN)
  find_package(dnnl 3 REQUIRED CONFIG)
  set(swiglu_onednn_found TRUE)
endif()
if(swiglu_onednn_found AND DNNL_CPU_THREADING_RUNTIME STREQUAL "OMP")
  # Its threads are counted and used through the OpenMP library that it was built with, GNU's on Debian and in the wheel.
  if(SWIGLU_WITH_ONEDNN STREQUAL "AUTO" AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(STATUS "swiglu: without oneDNN: it runs on GNU OpenMP, which ${CMAKE_CXX_COMPILER_ID} does not speak")
    set(swiglu_onednn_found FALSE)
  else()
    find_package(OpenMP REQUIRED COMPONENTS CXX)
  endif()
endif()
message(STATUS "swiglu: xsimd ${xsimd_VERSION}; oneDNN backend: ${swiglu_onednn_found} ${dnnl_VERSION}")
