// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/within_budget.h"

#include "rematch/plan/sequence.h"
#include "rematch/solve/least_peak.h"

namespace rematch {

Result<Solution> solve_within(const Graph& graph, const BudgetSpec& budget,
                              OrderRule order, const Strategy& strategy,
                              const Request& request) {
  const auto bytes = resolve_budget(budget, keep_all_peak(graph));
  if (!bytes) return bytes.error();
  if (!*bytes) return solve_least_peak(graph, order, strategy, request);
  return solve({graph, **bytes, order}, strategy, request);
}

}  // namespace rematch
