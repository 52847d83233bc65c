# What `cmake --install` puts down: the two programs, leatd's admin module, the client (a library, headers, a CMake
# package "leat" with the target leat::client, leat.pc for pkg-config), the documents and the licence.
foreach(program leatd leat)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  endif()
endforeach()
if(TARGET leat_admin)
  install(TARGETS leat_admin LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/leat")
endif()
install(FILES README.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs" FILES_MATCHING PATTERN "*.md")

include(CMakePackageConfigHelpers)
set(LEAT_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/leat")
install(TARGETS leat_client_shared EXPORT leat LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY client/include/leat DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(FILES net/protocol/error_code.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/leat")
install(EXPORT leat FILE leatTargets.cmake NAMESPACE leat:: DESTINATION "${LEAT_PACKAGE_DIR}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/leatConfig.cmake.in" "${CMAKE_BINARY_DIR}/leatConfig.cmake"
  INSTALL_DESTINATION "${LEAT_PACKAGE_DIR}")
# While the first number is 0, the second one breaks.
write_basic_package_version_file("${CMAKE_BINARY_DIR}/leatConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/leatConfig.cmake" "${CMAKE_BINARY_DIR}/leatConfigVersion.cmake"
  DESTINATION "${LEAT_PACKAGE_DIR}")
string(REGEX REPLACE "[^/]+" ".." LEAT_LIBDIR_UP "${CMAKE_INSTALL_LIBDIR}")  # the package may be moved as a whole
configure_file("${CMAKE_CURRENT_LIST_DIR}/leat.pc.in" "${CMAKE_BINARY_DIR}/leat.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/leat.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
