# SPDX-License-Identifier: Apache-2.0
# Makes page_parts.cc of the files in src/rematch/report/assets.
#
# cmake -D ASSETS=<folder> -D OUTPUT=<file> -P EmbedPage.cmake
#
# page.html says where the style, the scripts and the data go. Its policy names
# the style and the script by their SHA-256, so that a browser runs nothing else.
cmake_minimum_required(VERSION 3.22)

# What the browser reads as one script, in this order.
set(scripts dom format data stack view picture memory schedule details frontier tables
    compare save main)

# base64_of_hash(<result> <64 hexadecimal digits>)
function(base64_of_hash result hash)
  set(letters
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(text "")
  # Three digits are two letters.
  foreach(at RANGE 0 60 3)
    string(SUBSTRING "${hash}" ${at} 3 digits)
    math(EXPR high "0x${digits} >> 6")
    math(EXPR low "0x${digits} & 63")
    string(SUBSTRING "${letters}" ${high} 1 first)
    string(SUBSTRING "${letters}" ${low} 1 second)
    string(APPEND text "${first}${second}")
  endforeach()
  string(SUBSTRING "${hash}" 63 1 digit)
  math(EXPR last "0x${digit} << 2")
  string(SUBSTRING "${letters}" ${last} 1 letter)
  set(${result} "${text}${letter}=" PARENT_SCOPE)
endfunction()

# without_license(<variable>): the first line of each file is for its readers.
function(without_license variable)
  string(REGEX REPLACE "^[^\n]*SPDX-License-Identifier[^\n]*\n" "" text
         "${${variable}}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

file(READ "${ASSETS}/page.html" page)
without_license(page)
file(READ "${ASSETS}/style.css" style)
without_license(style)
set(script "\"use strict\";\n")
foreach(name IN LISTS scripts)
  file(READ "${ASSETS}/${name}.js" text)
  without_license(text)
  string(APPEND script "${text}")
endforeach()

foreach(part style script)
  string(PREPEND ${part} "\n")
  string(SHA256 hash "${${part}}")
  base64_of_hash(hash "${hash}")
  string(REPLACE "{{${part}_hash}}" "sha256-${hash}" page "${page}")
  string(REPLACE "{{${part}}}" "${${part}}" page "${page}")
endforeach()

string(FIND "${page}" "{{data}}" middle)
if(middle EQUAL -1)
  message(FATAL_ERROR "${ASSETS}/page.html: there is no place for the data")
endif()
string(SUBSTRING "${page}" 0 ${middle} before)
math(EXPR middle "${middle} + 8")
string(SUBSTRING "${page}" ${middle} -1 after)

file(WRITE "${OUTPUT}.new" "// Made by EmbedPage.cmake.
#include \"rematch/report/page_parts.h\"

// The standard asks for no more than 65,536 characters; those who read this
// file have no limit.
#pragma GCC diagnostic ignored \"-Woverlength-strings\"

namespace rematch {
namespace {

constexpr std::string_view kBefore = R\"page~(${before})page~\";
constexpr std::string_view kAfter = R\"page~(${after})page~\";

}  // namespace

std::string_view page_before_data() { return kBefore; }
std::string_view page_after_data() { return kAfter; }

}  // namespace rematch
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
