# SPDX-License-Identifier: Apache-2.0
# Installs Rematch if the way asks for it, then configures, builds and runs the
# consumer. The consumer's build folder stays, so that a second run is quick.

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "'${command}' failed (${status}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(prefix "${WORK_DIR}/prefix")
if(WAY STREQUAL "installed")
  file(REMOVE_RECURSE "${prefix}")
  run(${CMAKE_COMMAND} --install "${REMATCH_BINARY_DIR}" --prefix "${prefix}")
  file(GLOB_RECURSE strays "${prefix}/*_test*" "${prefix}/*.cc")
  if(strays)
    message(FATAL_ERROR "files that should not be installed: ${strays}")
  endif()
  if(EXISTS "${prefix}/bin/rematch")
    run("${prefix}/bin/rematch" --version)
  endif()
endif()

run(${CMAKE_COMMAND} -G "${GENERATOR}"
    -S "${CMAKE_CURRENT_LIST_DIR}/${WAY}" -B "${WORK_DIR}/build"
    "-DCMAKE_CXX_COMPILER=${COMPILER}" -DCMAKE_BUILD_TYPE=
    -DCMAKE_CXX_FLAGS=-O0
    "-DCMAKE_PREFIX_PATH=${prefix}" "-DREMATCH_ROOT=${REMATCH_SOURCE_DIR}"
    "-DREMATCH_PYTHON=${PYTHON}")
run(${CMAKE_COMMAND} --build "${WORK_DIR}/build" --target consumer)
run("${WORK_DIR}/build/consumer")
if(NOT output STREQUAL "${VERSION}\n")
  message(FATAL_ERROR "the consumer printed '${output}', not '${VERSION}'")
endif()
