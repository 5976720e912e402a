# SPDX-License-Identifier: Apache-2.0
# Installs the library: headers, archives and what find_package(rematch) reads.
include(CMakePackageConfigHelpers)

set(rematch_layers base graph lp plan io solve report)
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

# A HiGHS that is not the system's goes into a folder of our own, where it is in
# nobody's way.
set(REMATCH_HIGHS_DIR "${CMAKE_INSTALL_LIBDIR}/rematch")
if(REMATCH_HIGHS_FROM STREQUAL "wheel")
  install(FILES "${REMATCH_HIGHS_LIBRARY}" DESTINATION "${REMATCH_HIGHS_DIR}"
          PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
                      GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  install(FILES "${REMATCH_HIGHS_LICENSE}" RENAME HiGHS-LICENSE.txt
          DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endif()

# rematch_install_program(<target>)
#
# Installs a program that finds our HiGHS wherever the whole tree is put.
function(rematch_install_program target)
  file(RELATIVE_PATH to_highs "${CMAKE_INSTALL_FULL_BINDIR}"
       "${CMAKE_INSTALL_FULL_LIBDIR}/rematch")
  if(REMATCH_HIGHS_FROM STREQUAL "wheel")
    set_target_properties(${target} PROPERTIES
      INSTALL_RPATH "$ORIGIN/${to_highs}")
  else()
    set_target_properties(${target} PROPERTIES
      INSTALL_RPATH_USE_LINK_PATH ON)
  endif()
  install(TARGETS ${target} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endfunction()

install(TARGETS rematch EXPORT rematch)
install(EXPORT rematch NAMESPACE rematch:: FILE rematchTargets.cmake
        DESTINATION "${rematch_package_dir}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/rematchConfig.cmake.in" rematchConfig.cmake
  INSTALL_DESTINATION "${rematch_package_dir}" PATH_VARS REMATCH_HIGHS_DIR)
write_basic_package_version_file(rematchConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/rematchConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/rematchConfigVersion.cmake"
        DESTINATION "${rematch_package_dir}")
