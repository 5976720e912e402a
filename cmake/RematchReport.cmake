# SPDX-License-Identifier: Apache-2.0
# The page of a report is part of the library: its assets are made into a source
# file.
set(page_parts "${PROJECT_BINARY_DIR}/report/page_parts.cc")
set(assets "${PROJECT_SOURCE_DIR}/src/rematch/report/assets")
file(GLOB asset_files CONFIGURE_DEPENDS "${assets}/*")
add_custom_command(
  OUTPUT "${page_parts}"
  COMMAND "${CMAKE_COMMAND}" -D "ASSETS=${assets}" -D "OUTPUT=${page_parts}"
          -P "${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake"
  DEPENDS ${asset_files} "${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake"
  COMMENT "Embedding the page of the report"
  VERBATIM)
target_sources(rematch_report PRIVATE "${page_parts}")
