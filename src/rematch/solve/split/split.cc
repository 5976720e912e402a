// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/split.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "rematch/solve/anneal/anneal.h"
#include "rematch/solve/gap/gap_plans.h"
#include "rematch/solve/split/split_search.h"

namespace rematch {
namespace {

// Moves of the search for a plan to begin with: a fraction of a second.
constexpr std::int64_t kFirstMoves = 100'000;
// Even the gap program's stages alone would be too many points.
constexpr std::size_t kMostOps = 20'000;

class Clock {
 public:
  // The request with the time that is left of it.
  Request left(const Request& request) const {
    Request result = request;
    const std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - begin_;
    result.limits.seconds =
        std::max(0.0, request.limits.seconds - spent.count());
    return result;
  }

 private:
  std::chrono::steady_clock::time_point begin_ =
      std::chrono::steady_clock::now();
};

// The better the incumbent is, the less there is to prove.
void search_for_start(const Problem& problem, Request request,
                      BestPlan& incumbent) {
  request.limits.work = std::min(request.limits.work, kFirstMoves);
  request.limits.threads = 1;
  request.on_progress = nullptr;
  std::optional<Plan> start;
  if (incumbent.has_plan()) start = incumbent.plan();
  request.start = start ? &*start : nullptr;
  AnnealResult found = anneal(problem, request);
  if (found.plan) incumbent.offer(*std::move(found.plan));
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
  const Clock clock;
  Meter meter(request.limits);
  BestPlan incumbent(problem);
  if (request.start != nullptr) incumbent.offer(*request.start);
  const GapAnswer gaps = solve_gaps(problem, incumbent, meter);
  if (gaps.is_infeasible()) return proved_infeasible();
  Proposal proposal;
  proposal.lower_bound = gaps.lower_bound;
  if (!is_close_enough(incumbent.cost(), gaps.lower_bound, request)) {
    search_for_start(problem, clock.left(request), incumbent);
    const Request rest = clock.left(request);
    SplitSearch search(problem, rest, incumbent,
                       {gaps.lower_bound, gaps.plain_bound, gaps.stages});
    search.run();
    if (search.is_infeasible()) return proved_infeasible();
    proposal.lower_bound = search.lower_bound();
    if (const auto stop = search.stopped()) {
      proposal.stop_reason = stopped(*stop).stop_reason;
    }
  }
  if (incumbent.cost() > proposal.lower_bound &&
      is_close_enough(incumbent.cost(), proposal.lower_bound, request)) {
    proposal.stop_reason = StopReason::kGapReached;
  }
  proposal.plan = incumbent.take();
  return proposal;
}

}  // namespace rematch
