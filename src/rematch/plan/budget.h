// SPDX-License-Identifier: Apache-2.0
// A budget as people write it: bytes, a percentage of the keep-all peak, or the
// least that works.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rematch/base/bytes.h"
#include "rematch/base/decimal.h"
#include "rematch/base/result.h"
#include "rematch/graph/graph.h"

namespace rematch {

struct PercentOfKeepAll {
  Decimal percent;

  friend bool operator==(const PercentOfKeepAll&,
                         const PercentOfKeepAll&) = default;
};

struct LeastBudget {
  friend bool operator==(const LeastBudget&, const LeastBudget&) = default;
};

using BudgetSpec = std::variant<Bytes, PercentOfKeepAll, LeastBudget>;

// Reads "8GiB", "90%", "62.5%" or "min". Fails with kInvalidArgument, or with
// kOutOfRange on a number that is too large.
Result<BudgetSpec> parse_budget(std::string_view text);

// Reads a comma-separated list of at least one budget.
Result<std::vector<BudgetSpec>> parse_budgets(std::string_view text);

// The budget in bytes; none for LeastBudget, which a search has to find. A
// percentage is rounded up to a byte. Fails if the number is out of range.
Result<std::optional<Bytes>> resolve_budget(const BudgetSpec& spec,
                                            Bytes keep_all_peak);

// `count` >= 1 budgets from `first` to `last` >= `first`, both included,
// rounded down; `first` alone if it is one. Some are equal where there are not
// as many bytes.
std::vector<Bytes> evenly_spaced(Bytes first, Bytes last, int count);

}  // namespace rematch
