// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/split.h"

#include <algorithm>

#include <fmt/format.h>

#include "rematch/solve/anneal/anneal.h"
#include "rematch/solve/gap/gap_plans.h"
#include "rematch/solve/program/solve_clock.h"
#include "rematch/solve/split/split_search.h"

namespace rematch {
namespace {

// Moves of the search for a plan to begin with: a fraction of a second.
constexpr std::int64_t kFirstMoves = 100'000;
// Where little is left of the gap, the program is as quick.
constexpr std::int64_t kFewMoves = 10'000;
constexpr double kSmallGap = 1e-4;
// Even the gap program's stages alone would be too many points.
constexpr std::size_t kMostOps = 20'000;

// The request with the time that is left of it; each part has all the work.
Request rest_of(const Request& request, const SolveClock& clock) {
  Request rest = request;
  rest.limits.seconds = clock.seconds_left();
  return rest;
}

// The better the incumbent is, the less there is to prove.
void search_for_start(const Problem& problem, Request request, Cost bound,
                      BestPlan& incumbent) {
  const bool is_close = incumbent.cost() <= bound * (1 + kSmallGap);
  request.limits.work =
      std::min(request.limits.work, is_close ? kFewMoves : kFirstMoves);
  request.limits.threads = 1;
  request.on_progress = nullptr;
  std::optional<Plan> start;
  if (incumbent.has_plan()) start = incumbent.plan();
  request.start = start ? &*start : nullptr;
  AnnealResult found = anneal(problem, request);
  if (found.plan) incumbent.offer(*std::move(found.plan), "anneal");
}

bool is_close_enough(Cost cost, Cost bound, const Request& request) {
  return cost <= bound * (1 + request.limits.gap) ||
         request.is_decided(cost, bound);
}

}  // namespace

bool is_within_split(const Graph& graph) { return graph.num_ops() <= kMostOps; }

Proposal solve_split(const Problem& problem, const Request& request) {
  if (!is_within_split(problem.graph)) {
    return not_applicable(fmt::format(
        "the split program takes graphs of up to {} ops, not {}; gap takes any",
        kMostOps, problem.graph.num_ops()));
  }
  const SolveClock clock(request.limits);
  Meter meter(request.limits);
  BestPlan incumbent(problem);
  if (request.start != nullptr) incumbent.offer(*request.start);
  const GapAnswer gaps =
      solve_gaps(problem, incumbent, meter, GapEffort::kAsLongAsItHelps,
                 request.on_progress);
  if (gaps.is_infeasible()) return proved_infeasible();
  Proposal proposal;
  proposal.lower_bound = gaps.lower_bound;
  proposal.bound_finder = "gap";
  if (!is_close_enough(incumbent.cost(), gaps.lower_bound, request)) {
    search_for_start(problem, rest_of(request, clock), gaps.lower_bound,
                     incumbent);
    const Request rest = rest_of(request, clock);
    SplitSearch search(problem, rest, incumbent,
                       {gaps.lower_bound, gaps.plain_bound, gaps.stages});
    search.run();
    if (search.is_infeasible()) return proved_infeasible();
    if (search.is_too_large()) {
      proposal.message =
          "the split program of this graph is too large; the bound is that of "
          "the gap program";
    }
    proposal.lower_bound = search.lower_bound();
    if (proposal.lower_bound > gaps.lower_bound) proposal.bound_finder = {};
    if (const auto stop = search.stopped()) {
      proposal.stop_reason = stopped(*stop).stop_reason;
    }
  }
  if (incumbent.cost() > proposal.lower_bound &&
      is_close_enough(incumbent.cost(), proposal.lower_bound, request)) {
    proposal.stop_reason = StopReason::kGapReached;
  }
  proposal.plan_finder = incumbent.finder();
  proposal.plan = incumbent.take();
  return proposal;
}

}  // namespace rematch
