# SPDX-License-Identifier: Apache-2.0
# Finds a dependency or says, in one sentence, which Debian package has it.

# rematch_require(<package> <debian packages>)
macro(rematch_require package debian)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "Rematch needs ${package}, which was not found; "
                        "on Debian: apt-get install ${debian}")
  endif()
endmacro()
