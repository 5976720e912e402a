// SPDX-License-Identifier: Apache-2.0
// The whole curve of cost against budget.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "rematch/solve/solve.h"

namespace rematch {

struct FrontierQuestion {
  OrderRule order = OrderRule::kFixed;
  // In any order, repeats count once; none: the least peak that is found, or
  // the floor if there was no time to find any. Empty: `num_points` of them,
  // evenly spaced from that peak to the keep-all peak, both included; fewer
  // where there are not as many bytes between.
  std::vector<std::optional<Bytes>> budgets;
  int num_points = 20;  // At least 1: the least peak alone.
  // Called with the points whenever one changed, one call at a time, by any
  // thread; holds up the search meanwhile. May be empty.
  std::function<void(std::span<const Solution>)> on_change;
};

struct Frontier {
  // By budget, ascending. A point's strategy is the one that found its plan, or
  // empty without one. See Curve: no cost and no bound is above that of a
  // smaller budget.
  std::vector<Solution> points;
  // Of all plans found, also of those that fit no point.
  std::optional<Bytes> least_peak;
  // Of the whole: kProved if every point is optimal or infeasible.
  StopReason stop_reason = StopReason::kFinished;
  double seconds = 0;

  std::size_t num_proved() const;
  // Of the points together: kFeasible if any has a plan (kOptimal if all points
  // are proved), kInfeasible if none can have one.
  Outcome outcome() const;
};

// Asks the strategy at every budget, first for a share of the time, then again
// where there is a gap, the smallest first. What one budget shows is used for
// all others: plans that fit, plans to begin with, bounds, infeasibility. With
// `auto`, what follows its first answer is the exact search, where that
// applies, and the anytime search.
//
// The time limit is for all of it, the work limit for each solve. Solves at
// several budgets run side by side, each on one thread while there are more
// budgets than threads. With a work limit the answer does not depend on the
// number of threads, unless time runs out. Interrupted, it gives what it has.
Frontier solve_frontier(const Graph& graph, const FrontierQuestion& question,
                        const Strategy& strategy, const Request& request);

}  // namespace rematch
