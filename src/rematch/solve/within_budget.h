// SPDX-License-Identifier: Apache-2.0
// Solves within a budget as people write it.
#pragma once

#include "rematch/base/result.h"
#include "rematch/plan/budget.h"
#include "rematch/solve/solve.h"

namespace rematch {

// solve() within the bytes that `budget` means for the graph, or
// solve_least_peak() if it asks for the least. Fails like resolve_budget().
Result<Solution> solve_within(const Graph& graph, const BudgetSpec& budget,
                              OrderRule order, const Strategy& strategy,
                              const Request& request);

}  // namespace rematch
