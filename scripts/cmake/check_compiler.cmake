# Older compilers miscompile or refuse the kernels; say so at once instead of in a thousand template errors.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(swiglu_oldest_compiler 12)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(swiglu_oldest_compiler 16)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "AppleClang")
  set(swiglu_oldest_compiler 15)
else()
  message(FATAL_ERROR "swiglu: compiler ${CMAKE_CXX_COMPILER_ID} is not supported; use g++ >= 12 or clang++ >= 16 "
                      "(-DCMAKE_CXX_COMPILER=…)")
endif()
if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS swiglu_oldest_compiler)
  message(FATAL_ERROR "swiglu: ${CMAKE_CXX_COMPILER} is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}; need "
                      "g++ >= 12 or clang++ >= 16 (-DCMAKE_CXX_COMPILER=…)")
endif()
