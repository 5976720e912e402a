# SPDX-License-Identifier: Apache-2.0
# Installs the library: headers, archives and what find_package(rematch) reads.
include(CMakePackageConfigHelpers)

set(rematch_layers base graph plan io solve)
set(rematch_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/rematch")

foreach(layer IN LISTS rematch_layers)
  install(TARGETS rematch_${layer} EXPORT rematch
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  file(GLOB_RECURSE headers RELATIVE "${PROJECT_SOURCE_DIR}/src"
       CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/rematch/${layer}/*.h")
  foreach(header IN LISTS headers)
    get_filename_component(folder "${header}" DIRECTORY)
    install(FILES "src/${header}"
            DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}")
  endforeach()
endforeach()
install(FILES "${PROJECT_BINARY_DIR}/include/rematch/base/version.h"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/rematch/base")

install(TARGETS rematch EXPORT rematch)
install(EXPORT rematch NAMESPACE rematch:: FILE rematchTargets.cmake
        DESTINATION "${rematch_package_dir}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/rematchConfig.cmake.in" rematchConfig.cmake
  INSTALL_DESTINATION "${rematch_package_dir}")
write_basic_package_version_file(rematchConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/rematchConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/rematchConfigVersion.cmake"
        DESTINATION "${rematch_package_dir}")
