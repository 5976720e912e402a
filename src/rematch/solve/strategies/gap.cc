// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/gap.h"

#include "rematch/solve/gap/gap_plans.h"

namespace rematch {

Proposal propose_gap(const Problem& problem, const Request& request) {
  Meter meter(request.limits);
  const Problem fixed{problem.graph, problem.budget, OrderRule::kFixed};
  BestPlan incumbent(fixed);
  const GapAnswer answer = solve_gaps(fixed, incumbent, meter);
  if (answer.is_infeasible() && problem.order == OrderRule::kFixed) {
    return proved_infeasible();
  }
  Proposal proposal;
  if (problem.order == OrderRule::kFixed) {
    proposal.lower_bound = answer.lower_bound;
  }
  proposal.plan = incumbent.take();
  if (meter.reason()) {
    proposal.stop_reason = stopped(*meter.reason()).stop_reason;
  }
  return proposal;
}

}  // namespace rematch
