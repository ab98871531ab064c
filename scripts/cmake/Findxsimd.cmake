# Finds the xsimd headers (header only): a system package with its own CMake config, or bare headers in a prefix, such
# as the ones the PyPI wheel `pythran` carries (Debian 12's own xsimd 8.1 is too old). Defines xsimd::xsimd.
find_path(xsimd_INCLUDE_DIR xsimd/xsimd.hpp
          PATHS ${CMAKE_PREFIX_PATH}
          PATH_SUFFIXES include
                        lib/python3.11/site-packages/pythran lib/python3.11/dist-packages/pythran
                        lib/python3.12/site-packages/pythran lib/python3.13/site-packages/pythran
                        lib/python3.13/dist-packages/pythran
          DOC "Folder that holds xsimd/xsimd.hpp")
if(xsimd_INCLUDE_DIR)
  file(STRINGS "${xsimd_INCLUDE_DIR}/xsimd/config/xsimd_config.hpp" _lines REGEX "#define XSIMD_VERSION_(MAJOR|MINOR|PATCH)")
  string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*PATCH ([0-9]+).*" "\\1.\\2.\\3" xsimd_VERSION "${_lines}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(xsimd
  REQUIRED_VARS xsimd_INCLUDE_DIR VERSION_VAR xsimd_VERSION
  REASON_FAILURE_MESSAGE "need xsimd >= 13: Debian 13: apt-get install libxsimd-dev; elsewhere run scripts/setup, or pass -DCMAKE_PREFIX_PATH=<prefix with the headers>")
if(xsimd_FOUND AND NOT TARGET xsimd::xsimd)
  add_library(xsimd::xsimd INTERFACE IMPORTED)
  set_target_properties(xsimd::xsimd PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${xsimd_INCLUDE_DIR}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${xsimd_INCLUDE_DIR}")
endif()
mark_as_advanced(xsimd_INCLUDE_DIR)
