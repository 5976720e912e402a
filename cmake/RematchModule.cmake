# SPDX-License-Identifier: Apache-2.0
# One layer: a library of its sources and one executable of its unit tests.

# rematch_module(<layer> [DEPENDS <layer>...] [LINKS <target>...])
#
# Makes `rematch_<layer>` (alias `rematch::<layer>`) of src/rematch/<layer>/**.cc
# and `rematch_<layer>_test` of its *_test.cc. DEPENDS are layers and show
# through; LINKS are third-party targets and do not. A layer of headers alone
# is an INTERFACE library. cli's main.cc is left to the program.
function(rematch_module layer)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS;LINKS")
  set(folder "${PROJECT_SOURCE_DIR}/src/rematch/${layer}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cc")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|/cli/main)\\.cc$")
  list(TRANSFORM arg_DEPENDS PREPEND rematch_)

  set(library rematch_${layer})
  if(sources)
    add_library(${library} STATIC ${sources})
    target_link_libraries(${library} PRIVATE ${arg_LINKS})
    set(scope PUBLIC)
  else()
    add_library(${library} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(rematch::${layer} ALIAS ${library})
  target_link_libraries(${library} ${scope} ${arg_DEPENDS})
  target_compile_features(${library} ${scope} cxx_std_20)
  target_include_directories(${library} ${scope}
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>"
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  set_target_properties(${library} PROPERTIES
    EXPORT_NAME ${layer} POSITION_INDEPENDENT_CODE ON)
  if(REMATCH_PRECOMPILE STREQUAL "all" AND sources)
    rematch_precompile(${library} rematch_base)
  endif()

  if(REMATCH_BUILD_TESTS AND tests)
    rematch_test(${library}_test unit
      SOURCES ${tests} LINKS ${library} ${arg_LINKS})
  endif()
endfunction()

# rematch_test(<name> <label> SOURCES <file>... LINKS <target>...)
#
# Makes a GoogleTest executable and registers each of its tests under `label`.
# Tests run in the root of the source tree.
function(rematch_test name label)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;LINKS")
  include(GoogleTest)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE
    ${arg_LINKS} GTest::gtest_main GTest::gmock)
  # Test bodies run once: compiling them fast matters more than their speed.
  target_compile_options(${name} PRIVATE
    "$<$<CONFIG:Release>:-O1>" "$<$<BOOL:${REMATCH_SANITIZE}>:-O0>")
  if(REMATCH_PRECOMPILE)
    rematch_precompile(${name} rematch_base_test)
  endif()
  gtest_discover_tests(${name}
    DISCOVERY_MODE PRE_TEST
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    PROPERTIES LABELS ${label})
endfunction()

# rematch_precompile(<target> <first>)
#
# Gives a target the precompiled headers of the first one of its kind. They hide
# an #include that a file lacks: what people install is built without.
function(rematch_precompile target first)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # With <string> precompiled GCC 12 sees overflows in std::string.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  endif()
  if(NOT target STREQUAL first)
    target_precompile_headers(${target} REUSE_FROM ${first})
    return()
  endif()
  set(headers <algorithm> <cmath> <functional> <map> <memory> <optional> <set>
              <span> <string> <string_view> <vector> <fmt/format.h>)
  if(target MATCHES "_test$")
    list(APPEND headers <sstream> <gtest/gtest.h>)
  endif()
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()
