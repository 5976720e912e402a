# SPDX-License-Identifier: Apache-2.0
# The Python package: the extension module and what is installed around it.
#
# In the build tree the package is complete in python/rematch, with links to the
# sources in Python, so that PYTHONPATH=<build>/python is all that is needed.
# The wheel is made of the install component `python` (see pyproject.toml).
if(REMATCH_PYTHON AND NOT Python_EXECUTABLE)
  set(Python_EXECUTABLE "${REMATCH_PYTHON}")
endif()
find_package(Python 3.10 COMPONENTS Interpreter Development.Module)
if(NOT Python_FOUND)
  message(FATAL_ERROR "The Python module needs Python 3.10 or later with its "
                      "headers, which were not found; on Debian: "
                      "apt-get install python3-dev")
endif()
execute_process(
  COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
  OUTPUT_VARIABLE nanobind_ROOT ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
find_package(nanobind CONFIG QUIET)
if(NOT nanobind_FOUND)
  message(FATAL_ERROR "The Python module needs nanobind, which "
                      "${Python_EXECUTABLE} does not have; tools/setup "
                      "installs it into .venv")
endif()

file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/rematch/python/*.cc")
nanobind_add_module(rematch_python NB_STATIC NB_SUPPRESS_WARNINGS ${sources})
target_compile_features(rematch_python PRIVATE cxx_std_20)
target_link_libraries(rematch_python PRIVATE
  rematch_report rematch_solve rematch_io rematch_plan rematch_graph rematch_base fmt::fmt)
target_link_options(rematch_python PRIVATE -Wl,--exclude-libs,ALL)
# Not ours.
target_compile_options(nanobind-static PRIVATE -w)
set_target_properties(nanobind-static PROPERTIES CXX_CLANG_TIDY "")

set(package "${PROJECT_BINARY_DIR}/python/rematch")
set_target_properties(rematch_python PROPERTIES
  OUTPUT_NAME _core
  LIBRARY_OUTPUT_DIRECTORY "${package}"
  INSTALL_RPATH "$ORIGIN")
nanobind_add_stub(rematch_python_stub
  MODULE _core PYTHON_PATH "${package}" OUTPUT "${package}/_core.pyi"
  DEPENDS rematch_python)

file(MAKE_DIRECTORY "${package}")
file(GLOB parts LIST_DIRECTORIES true CONFIGURE_DEPENDS
     "${PROJECT_SOURCE_DIR}/python/rematch/*")
list(FILTER parts EXCLUDE REGEX "/__pycache__$")
foreach(part IN LISTS parts)
  get_filename_component(name "${part}" NAME)
  file(CREATE_LINK "${part}" "${package}/${name}" SYMBOLIC)
endforeach()

if(REMATCH_BUILD_PROGRAM)
  file(MAKE_DIRECTORY "${package}/bin")
  file(CREATE_LINK "${PROJECT_BINARY_DIR}/bin/rematch" "${package}/bin/rematch"
       SYMBOLIC)
endif()

# Only the wheel wants these. HiGHS lies next to the module and the program, so
# that both find it wherever the package is put.
set(for_wheel COMPONENT python EXCLUDE_FROM_ALL)
install(TARGETS rematch_python LIBRARY DESTINATION rematch ${for_wheel})
install(FILES "${package}/_core.pyi" DESTINATION rematch ${for_wheel})
if(REMATCH_HIGHS_FROM STREQUAL "wheel")
  install(FILES "${REMATCH_HIGHS_LIBRARY}" DESTINATION rematch ${for_wheel})
  install(FILES "${REMATCH_HIGHS_LICENSE}" RENAME HiGHS-LICENSE.txt
          DESTINATION rematch ${for_wheel})
else()
  set_target_properties(rematch_python PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
endif()
if(SKBUILD AND REMATCH_BUILD_PROGRAM)
  set_target_properties(rematch_cli_main PROPERTIES INSTALL_RPATH "$ORIGIN/..")
  install(TARGETS rematch_cli_main RUNTIME DESTINATION rematch/bin ${for_wheel})
endif()
