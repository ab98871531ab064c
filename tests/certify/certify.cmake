# swiglu-certify: accuracy over all floats (README.md in this folder). It calls kernel sets, which only a static library
# lets it reach.
add_library(swiglu_certify STATIC
  certify/certificate.cpp
  certify/functions.cpp
  certify/scan.cpp)
target_include_directories(swiglu_certify PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
target_include_directories(swiglu_certify SYSTEM PUBLIC "${nlohmann_json_INCLUDE_DIR}")
target_link_libraries(swiglu_certify PUBLIC swiglu::swiglu Threads::Threads)
# An unoptimised run over all floats would take an hour; contraction would move the reference (hard case N-17).
target_compile_options(swiglu_certify PUBLIC -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow PRIVATE -O2)
if(SWIGLU_WARNINGS_AS_ERRORS)
  target_compile_options(swiglu_certify PUBLIC -Werror)
endif()

add_executable(swiglu-certify certify/main.cpp certify/options.cpp "${PROJECT_SOURCE_DIR}/bench/progress.cpp")
target_include_directories(swiglu-certify PRIVATE "${PROJECT_SOURCE_DIR}")
target_link_libraries(swiglu-certify PRIVATE swiglu_certify)

# A sample of the floats, the same everywhere: promises kept, and the bits of the committed certificate of that sample.
# (All floats: by hand, see the README.) Under emulation the same test runs from tests/emulated.
add_test(NAME certify.sample
  COMMAND swiglu-certify --sample 9973 --out certify_sample.json
          --expect "${CMAKE_CURRENT_SOURCE_DIR}/data/accuracy_sample.json")
if(NOT CMAKE_CROSSCOMPILING)
  add_test(NAME certify.mpmath
    COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/certify/mpmath_test.py" $<TARGET_FILE:swiglu-certify>)
  set_tests_properties(certify.mpmath PROPERTIES LABELS native)
endif()
