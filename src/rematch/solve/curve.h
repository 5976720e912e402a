// SPDX-License-Identifier: Apache-2.0
// What is known about the cost at several budgets, where what is learned about
// one holds for others too.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "rematch/plan/solution.h"

namespace rematch {

// A point per budget. Costs and bounds never rise from one budget to the next:
// a plan counts for every budget that holds its peak, and a bound, or a proof
// that there is no plan, for every budget up to the one it was proved within.
// What is known in the end does not depend on the order in which it is learned.
// Refers to the graph. Not thread-safe.
class Curve {
 public:
  // `budgets` ascend, without repeats.
  Curve(const Graph& graph, OrderRule order, const std::vector<Bytes>& budgets,
        std::uint64_t seed);

  // Takes over what a solution of the same graph and order says, whatever its
  // budget. Throws InternalError if it contradicts what was learned before.
  void learn(const Solution& found);

  // The same for a bound that was proved within the budget of a point.
  void raise_bound(std::size_t point, Cost bound);

  // A point's strategy is the one that found its plan, or empty. Unless it is
  // proved, its stop reason comes from the last solution for its very budget;
  // so does its message while nothing else is known.
  const std::vector<Solution>& points() const { return points_; }

  // Nothing is left to do: infeasible, or within `gap` of the best, or within
  // what sums of costs are rounded by.
  bool is_closed(std::size_t point, double gap) const;

  // Where to go on from: the plan of the point, else the one with the next
  // larger peak; null if there is none.
  const Plan* start_for(std::size_t point) const;

  // Of all plans so far, also of those that fit no point.
  std::optional<Bytes> least_peak() const { return least_peak_; }

 private:
  void offer(const Solution& found);
  void settle();

  std::vector<Solution> points_;  // By budget, ascending.
  std::vector<Cost> proved_;      // By point: the largest bound.
  std::vector<Bytes> found_at_;   // By point: the budget asked for its plan.
  Bytes infeasible_below_ = 0;    // Proved: no plan within less than this.
  std::optional<Bytes> least_peak_;
};

// Who found the plan: auto says from which strategy it took it.
std::string finder(const Solution& solution);

}  // namespace rematch
