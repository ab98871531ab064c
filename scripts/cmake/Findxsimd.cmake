# Finds the xsimd headers (header only): a system package, or bare headers in a prefix, such as the ones that the PyPI
# wheel `pythran` carries (Debian 12's own xsimd 8.1 is too old). Defines xsimd::xsimd.
set(_xsimd_folders)
cmake_path(CONVERT "$ENV{CMAKE_PREFIX_PATH}" TO_CMAKE_PATH_LIST _prefixes)
foreach(_prefix IN LISTS CMAKE_PREFIX_PATH _prefixes)
  # site-packages, or Debian's dist-packages, of whatever Python installed the wheel
  file(GLOB _wheels "${_prefix}/lib/python3*/*-packages/pythran")
  list(APPEND _xsimd_folders "${_prefix}/include" ${_wheels})
endforeach()
find_path(xsimd_INCLUDE_DIR xsimd/xsimd.hpp HINTS ${_xsimd_folders} DOC "Folder that holds xsimd/xsimd.hpp")

set(_xsimd_config "${xsimd_INCLUDE_DIR}/xsimd/config/xsimd_config.hpp")
if(xsimd_INCLUDE_DIR AND EXISTS "${_xsimd_config}")
  file(STRINGS "${_xsimd_config}" _lines REGEX "#define XSIMD_VERSION_(MAJOR|MINOR|PATCH)")
  string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*PATCH ([0-9]+).*" "\\1.\\2.\\3" xsimd_VERSION "${_lines}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(xsimd
  REQUIRED_VARS xsimd_INCLUDE_DIR VERSION_VAR xsimd_VERSION
  REASON_FAILURE_MESSAGE "xsimd >= 13 is needed. Debian 13: apt-get install libxsimd-dev. Elsewhere: scripts/setup puts it into .deps/local, then configure with a preset (cmake --preset release) or -DCMAKE_PREFIX_PATH=<prefix>")
if(xsimd_FOUND AND NOT TARGET xsimd::xsimd)
  add_library(xsimd::xsimd INTERFACE IMPORTED)
  set_target_properties(xsimd::xsimd PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${xsimd_INCLUDE_DIR}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${xsimd_INCLUDE_DIR}")
endif()
mark_as_advanced(xsimd_INCLUDE_DIR)
