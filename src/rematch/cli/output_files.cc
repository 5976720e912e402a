// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/output_files.h"

#include <filesystem>
#include <ostream>
#include <system_error>

#include <fmt/format.h>

#include "rematch/cli/table.h"
#include "rematch/io/file.h"

namespace rematch {
namespace {

namespace fs = std::filesystem;

bool is_stream(const std::string& path) {
  std::error_code failed;
  const auto status = fs::status(path, failed);
  return path == "-" || (fs::exists(status) && !fs::is_regular_file(status));
}

bool is_same_file(const std::string& one, const std::string& other) {
  if (is_stream(one) || is_stream(other)) return false;
  std::error_code failed;
  if (fs::equivalent(one, other, failed) && !failed) return true;
  // Where there is no file yet.
  std::error_code failed_too;
  const auto path = fs::weakly_canonical(fs::absolute(one, failed), failed);
  const auto other_path =
      fs::weakly_canonical(fs::absolute(other, failed_too), failed_too);
  return !failed && !failed_too && path == other_path;
}

Status check_inputs(const std::vector<std::string>& inputs,
                    const OutputFile& output) {
  for (const std::string& input : inputs) {
    if (!is_same_file(input, output.path)) continue;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} '{}' would overwrite '{}', which is read",
                             output.option, output.path, input)};
  }
  return ok_status();
}

}  // namespace

Status check_outputs(const std::vector<std::string>& inputs,
                     const std::vector<OutputFile>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const OutputFile& output = outputs[i];
    if (output.path.empty()) continue;
    if (auto ok = check_inputs(inputs, output); !ok) return ok;
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_same_file(outputs[j].path, output.path)) continue;
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("{} '{}' and {} '{}' are the same file",
                               outputs[j].option, outputs[j].path,
                               output.option, output.path)};
    }
    if (auto ok = check_writable(output.path); !ok) return ok;
  }
  return ok_status();
}

void say_no_page(const std::string& path, const Console& console) {
  if (path.empty()) return;
  console.err << "rematch: no plan, so no page";
  if (path != "-") {
    console.err << fmt::format(": '{}' is not written", display_name(path));
  }
  console.err << '\n';
}

}  // namespace rematch
