// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/file_format.h"

#include <fmt/format.h>

#include "rematch/io/file.h"

namespace rematch {
namespace {

// ".html, .json or .csv".
std::string endings(std::span<const FileFormat> formats) {
  std::string words;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    if (i > 0) words += i + 1 == formats.size() ? " or " : ", ";
    words += formats[i].ending;
  }
  return words;
}

}  // namespace

Result<std::string> choose_format(std::span<const FileFormat> formats,
                                  const std::string& given,
                                  const std::string& output) {
  for (const FileFormat& format : formats) {
    if (!has_ending(output, format.ending)) continue;
    if (given.empty() || given == format.name) return std::string(format.name);
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--format {} contradicts the name of the file, "
                             "'{}', which ends with {}",
                             given, output, format.ending)};
  }
  if (!given.empty()) return given;
  if (output == "-") return std::string(formats.front().name);
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("'{}' does not end with {}; --format says what to "
                           "write",
                           output, endings(formats))};
}

}  // namespace rematch
