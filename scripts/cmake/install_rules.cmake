# cmake --install: library, headers, `find_package(swiglu)` and `pkg-config swiglu`.
include(CMakePackageConfigHelpers)

set(swiglu_package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/swiglu")

install(TARGETS swiglu EXPORT swiglu-targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
# A shared library keeps the way to a oneDNN outside the system's folders (.deps on Debian 12).
set_target_properties(swiglu PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/swiglu" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h")
install(FILES "${PROJECT_BINARY_DIR}/include/swiglu/version.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/swiglu")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

install(EXPORT swiglu-targets NAMESPACE swiglu:: DESTINATION "${swiglu_package_folder}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/swiglu-config.cmake.in" swiglu-config.cmake
  INSTALL_DESTINATION "${swiglu_package_folder}" NO_SET_AND_CHECK_MACRO)
# Before 1.0 a new minor version may change the API.
write_basic_package_version_file(swiglu-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/swiglu-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/swiglu-config-version.cmake"
  DESTINATION "${swiglu_package_folder}")

# pkg-config: a static library names what it needs, by full path, since not all of it has a .pc file.
set(swiglu_pc_libraries "-lswiglu")
if(NOT BUILD_SHARED_LIBS)
  string(APPEND swiglu_pc_libraries " -pthread -lstdc++ -lm")
  if(swiglu_onednn_found)
    string(APPEND swiglu_pc_libraries " $<TARGET_FILE:DNNL::dnnl> -Wl,-rpath,$<TARGET_FILE_DIR:DNNL::dnnl> ${OpenMP_CXX_FLAGS}")
  endif()
endif()
file(RELATIVE_PATH swiglu_pc_prefix "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file("${CMAKE_CURRENT_LIST_DIR}/swiglu.pc.in" swiglu.pc.configured @ONLY)
file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/swiglu.pc" INPUT "${CMAKE_CURRENT_BINARY_DIR}/swiglu.pc.configured")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/swiglu.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
