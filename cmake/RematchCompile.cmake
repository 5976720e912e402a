# SPDX-License-Identifier: Apache-2.0
# Compiler settings of everything built in this tree, and of nothing outside it.
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()

# No path of this machine in messages or in the program.
add_compile_options("-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13
   AND NOT CMAKE_CXX_CLANG_TIDY)
  add_compile_options(-Wno-restrict)  # GCC 12 sees overlaps in std::string (PR 105651).
endif()
if(REMATCH_WERROR)
  add_compile_options(-Werror)
endif()

if(REMATCH_SANITIZE)
  list(JOIN REMATCH_SANITIZE "," rematch_sanitizers)
  # Who reads at null is stopped anyway, and nothing here is cast to what is aligned
  # otherwise: checks of that would take a quarter of the compiler's time.
  add_compile_options("-fsanitize=${rematch_sanitizers}"
                      -fno-sanitize-recover=all -fno-omit-frame-pointer
                      -fno-sanitize=null,alignment)
  add_link_options("-fsanitize=${rematch_sanitizers}")
endif()

if(REMATCH_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "REMATCH_FUZZ needs clang for libFuzzer, but the "
                        "compiler is ${CMAKE_CXX_COMPILER_ID}; on Debian: "
                        "apt-get install clang libclang-rt-14-dev")
  endif()
  # Coverage for all code; each fuzz target alone links libFuzzer's main.
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()

# By default ccache keeps nothing that was compiled with a precompiled header.
if("${CMAKE_CXX_COMPILER_LAUNCHER};${CMAKE_CXX_COMPILER}" MATCHES "ccache")
  set(REMATCH_PRECOMPILE OFF)
endif()
