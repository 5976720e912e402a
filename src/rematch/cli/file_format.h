// SPDX-License-Identifier: Apache-2.0
// In which of several formats a command writes its file.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rematch/base/result.h"

namespace rematch {

struct FileFormat {
  std::string_view name;    // For --format.
  std::string_view ending;  // Of the names of its files: ".html".
};

// The name of the format: as `given`, else what the output's name ends with;
// the first one for "-", standard output. Fails with kInvalidArgument if these
// contradict each other or say nothing.
Result<std::string> choose_format(std::span<const FileFormat> formats,
                                  const std::string& given,
                                  const std::string& output);

}  // namespace rematch
