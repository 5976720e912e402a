// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/gap.h"

#include <algorithm>

#include "rematch/plan/replay.h"
#include "rematch/solve/anneal/anneal.h"
#include "rematch/solve/gap/gap_plans.h"

namespace rematch {
namespace {

// Moves that a plan over the budget is worth.
constexpr std::int64_t kRepairMoves = 5'000;
constexpr double kMostRepairCost = 1.5;  // In units of the base cost.

// Recomputations need room of their own, and where there is none the plan may
// still be near one that fits.
void repair(const Problem& problem, const Request& request,
            BestPlan& incumbent) {
  const Plan start = incumbent.plan();
  const auto measured = replay(problem.graph, start, OrderRule::kFixed);
  Request part(request.limits);
  // What needs that much for its recomputations is near to nothing.
  const bool is_near =
      measured->cost <= kMostRepairCost * problem.graph.base_cost();
  if (is_near) part.start = &start;
  part.limits.threads = 1;
  part.limits.work = std::min(part.limits.work, kRepairMoves);
  AnnealResult found = anneal(problem, part);
  if (found.plan) incumbent.offer(*std::move(found.plan), "gap");
}

}  // namespace

Proposal propose_gap(const Problem& problem, const Request& request) {
  Meter meter(request.limits);
  const Problem fixed{problem.graph, problem.budget, OrderRule::kFixed};
  BestPlan incumbent(fixed);
  // With a free order the bound does not hold.
  const auto progress =
      problem.order == OrderRule::kFixed ? request.on_progress : nullptr;
  const GapAnswer answer =
      solve_gaps(fixed, incumbent, meter, GapEffort::kAll, progress);
  if (answer.is_infeasible() && problem.order == OrderRule::kFixed) {
    return proved_infeasible();
  }
  if (incumbent.has_plan() && !incumbent.fits() && !meter.reason()) {
    repair(fixed, request, incumbent);
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
