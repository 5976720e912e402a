// SPDX-License-Identifier: Apache-2.0
// The options of a search, which plan, compare, frontier and max-batch
// share.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "rematch/base/limits.h"
#include "rematch/base/result.h"
#include "rematch/cli/parser.h"
#include "rematch/plan/problem.h"
#include "rematch/solve/request.h"
#include "rematch/solve/strategy.h"

namespace rematch {

// As typed.
struct SearchOptions {
  std::string order = "fixed";
  double time_limit = 10;
  std::int64_t work_limit = 0;  // 0: none.
  std::string gap = "0";
  int threads = 0;  // 0: one per processor.
  std::uint64_t seed = 0;
  std::string formulation;  // Empty: not given.
  std::string rounding;     // Empty: not given.
};

// Adds them to a command; `options` must outlive the parser.
void add_search_options(Command command, SearchOptions& options);

// What they mean for a search with these strategies. Fails with
// kInvalidArgument on a gap that is no number, and on an option that none of
// the strategies has.
Result<Request> to_request(const SearchOptions& options,
                           std::span<const Strategy* const> strategies);
OrderRule to_order(const SearchOptions& options);

}  // namespace rematch
