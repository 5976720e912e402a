# SPDX-License-Identifier: Apache-2.0
# Finds HiGHS and makes rematch::highs_c, its shared library with the C headers.
#
# A HiGHS that CMake finds on its own comes first; otherwise it is the one in the
# Python package highsbox, which tools/setup installs. The latter has no usable
# CMake package of its own (it asks for a BLAS), so its folders are used as they
# are. Afterwards REMATCH_HIGHS_FROM is "system" or "wheel", and the cache has the
# library's file in REMATCH_HIGHS_PATH.
set(REMATCH_HIGHS_VERSION 1.15)

# Sets `result` to the folder of highsbox's HiGHS, or to nothing.
function(rematch_highsbox_folder result)
  set(${result} "" PARENT_SCOPE)
  set(pythons "${REMATCH_PYTHON}" "${PROJECT_SOURCE_DIR}/.venv/bin/python" python3)
  foreach(python IN LISTS pythons)
    execute_process(
      COMMAND "${python}" -c "import highsbox; print(highsbox.highs_dist_dir())"
      RESULT_VARIABLE status OUTPUT_VARIABLE folder ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(status EQUAL 0)
      set(${result} "${folder}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

find_package(highs ${REMATCH_HIGHS_VERSION} CONFIG QUIET)
if(highs_FOUND AND TARGET highs::highs)
  set(REMATCH_HIGHS_FROM system)
  set_target_properties(highs::highs PROPERTIES IMPORTED_GLOBAL TRUE)
  add_library(rematch::highs_c INTERFACE IMPORTED GLOBAL)
  target_link_libraries(rematch::highs_c INTERFACE highs::highs)
  get_target_property(REMATCH_HIGHS_LIBRARY highs::highs LOCATION)
else()
  set(REMATCH_HIGHS_FROM wheel)
  rematch_highsbox_folder(folder)
  if(folder)
    find_library(REMATCH_HIGHS_LIBRARY highs PATHS "${folder}/lib"
                 NO_DEFAULT_PATH NO_CACHE)
  endif()
  if(NOT REMATCH_HIGHS_LIBRARY)
    message(FATAL_ERROR "Rematch needs HiGHS ${REMATCH_HIGHS_VERSION} or later, "
                        "which was not found; tools/setup installs one, with "
                        "REMATCH_PYTHON set to .venv/bin/python")
  endif()
  get_filename_component(name "${REMATCH_HIGHS_LIBRARY}" NAME)
  set(REMATCH_HIGHS_FILE "${name}")
  set(REMATCH_HIGHS_LICENSE "${folder}/share/doc/HIGHS/LICENSE.txt")
  add_library(rematch::highs_c SHARED IMPORTED GLOBAL)
  set_target_properties(rematch::highs_c PROPERTIES
    IMPORTED_LOCATION "${REMATCH_HIGHS_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${folder}/include/highs")
endif()
set(REMATCH_HIGHS_PATH "${REMATCH_HIGHS_LIBRARY}" CACHE INTERNAL
    "The library of HiGHS")
