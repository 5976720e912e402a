// SPDX-License-Identifier: Apache-2.0
#include "rematch/base/check.h"

#include <fmt/format.h>

namespace rematch {

void fail_check(const char* condition, const std::string& what,
                const char* file, int line) {
  throw InternalError(
      fmt::format("{}:{}: {} (failed: {})", file, line, what, condition));
}

}  // namespace rematch
