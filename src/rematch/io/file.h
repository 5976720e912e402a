// SPDX-License-Identifier: Apache-2.0
// Whole files of text, in and out.
#pragma once

#include <string>
#include <string_view>

#include "rematch/base/result.h"

namespace rematch {

// Reads a file, or standard input if `path` is "-". Fails with kIo, naming the
// path and the system's reason.
Result<std::string> read_text(const std::string& path);

// Writes a file, or standard output if `path` is "-". A file appears whole or
// not at all: on failure, one that was there before is left as it was. Devices
// and pipes are written to directly. Fails with kIo, naming the path and the
// system's reason.
Status write_text(const std::string& path, std::string_view text);

// Fails as write_text() would, without writing anything, where that can be seen
// before: no such folder, no permission, a folder of that name.
Status check_writable(const std::string& path);

// Whether a file's name ends so (".csv"), in whatever case.
bool has_ending(std::string_view path, std::string_view ending);

// "graph.json: ..." in front of an error; "standard input" for "-".
Error in_file(const std::string& path, const Error& error);

}  // namespace rematch
