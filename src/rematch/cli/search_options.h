// SPDX-License-Identifier: Apache-2.0
// The options of a search, which plan and compare share.
#pragma once

#include <cstdint>
#include <string>

#include "rematch/base/limits.h"
#include "rematch/base/result.h"
#include "rematch/plan/problem.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours.
class App;
}

namespace rematch {

// As typed.
struct SearchOptions {
  std::string order = "fixed";
  double time_limit = 10;
  std::int64_t work_limit = 0;  // 0: none.
  std::string gap = "0";
  int threads = 0;  // 0: one per processor.
  std::uint64_t seed = 0;
};

// Adds them to a command; `options` must outlive the parser.
void add_search_options(CLI::App& command, SearchOptions& options);

// What they mean. Fails with kInvalidArgument on a gap that is no number.
Result<Limits> to_limits(const SearchOptions& options);
OrderRule to_order(const SearchOptions& options);

}  // namespace rematch
