// SPDX-License-Identifier: Apache-2.0
// The files that a command will write, looked at before it works for them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rematch/base/result.h"
#include "rematch/cli/console.h"

namespace rematch {

struct OutputFile {
  std::string_view option;  // That named it: "-o".
  std::string path;         // "-" is standard output; empty: not asked for.
};

// Fails with kInvalidArgument if an output is one of the files that are read,
// or another output, under whatever name, and with kIo if one cannot be
// written. Devices, pipes and "-" are nobody's file.
Status check_outputs(const std::vector<std::string>& inputs,
                     const std::vector<OutputFile>& outputs);

// Says that there will be no page at `path`; nothing if none was asked for.
void say_no_page(const std::string& path, const Console& console);

}  // namespace rematch
