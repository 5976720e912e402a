// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/split.h"

#include <algorithm>

#include "rematch/solve/anneal/anneal.h"
#include "rematch/solve/gap/gap_plans.h"
#include "rematch/solve/split/split_search.h"

namespace rematch {
namespace {

// Moves of the search for a plan to begin with; about half a second.
constexpr std::int64_t kFirstMoves = 400'000;

// The better the incumbent is, the less there is to prove.
void search_for_start(const Problem& problem, const Request& request,
                      const GapAnswer& gaps, BestPlan& incumbent) {
  if (incumbent.cost() <= gaps.lower_bound) return;
  if (request.is_decided(incumbent.cost(), gaps.lower_bound)) return;
  Request first = request;
  first.limits.work = std::min(request.limits.work, kFirstMoves);
  first.limits.threads = 1;
  std::optional<Plan> start;
  if (incumbent.has_plan()) start = incumbent.plan();
  first.start = start ? &*start : nullptr;
  AnnealResult found = anneal(problem, first);
  if (found.plan) incumbent.offer(*std::move(found.plan));
}

}  // namespace

Proposal solve_split(const Problem& problem, const Request& request) {
  Meter meter(request.limits);
  BestPlan incumbent(problem);
  if (request.start != nullptr) incumbent.offer(*request.start);
  const GapAnswer gaps = solve_gaps(problem, incumbent, meter);
  if (gaps.is_infeasible()) return proved_infeasible();
  search_for_start(problem, request, gaps, incumbent);
  SplitSearch search(problem, request, incumbent,
                     {gaps.lower_bound, gaps.plain_bound, gaps.stages});
  search.run();
  Proposal proposal;
  proposal.lower_bound = search.lower_bound();
  if (const auto stop = search.stopped()) {
    proposal.stop_reason = stopped(*stop).stop_reason;
  }
  const bool good_enough =
      incumbent.cost() <= search.lower_bound() * (1 + request.limits.gap) ||
      request.is_decided(incumbent.cost(), search.lower_bound());
  if (good_enough && incumbent.cost() > search.lower_bound()) {
    proposal.stop_reason = StopReason::kGapReached;
  }
  proposal.infeasible = search.is_infeasible();
  if (!proposal.infeasible) proposal.plan = incumbent.take();
  return proposal;
}

}  // namespace rematch
