// SPDX-License-Identifier: Apache-2.0
// What is known about cost against budget: plans that were found and bounds
// that were proved, of whatever strategy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rematch/base/bytes.h"
#include "rematch/base/cost.h"
#include "rematch/graph/graph.h"
#include "rematch/plan/problem.h"
#include "rematch/plan/solution.h"
#include "rematch/solve/frontier.h"

namespace rematch {

// One answer. A plan counts for every budget from its peak on, a bound for
// every budget up to its own.
struct CurvePoint {
  std::string strategy;  // That found the plan, or was asked for one.
  Outcome outcome = Outcome::kUnknown;
  Bytes budget = 0;
  std::optional<Bytes> peak;  // This and the cost only with a plan.
  std::optional<Cost> cost;
  std::optional<Cost> lower_bound;  // Proved; none if there is no plan at all.

  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

struct Curve {
  Bytes keep_all_peak = 0;
  Bytes peak_floor = 0;                 // Proved: no plan needs less.
  OrderRule order = OrderRule::kFixed;  // Of the plans that it is about.
  bool whole = false;  // A search for the whole curve, not a quick look.
  std::vector<CurvePoint> points;

  // Of the plans among the points.
  std::optional<Bytes> least_peak() const;

  friend bool operator==(const Curve&, const Curve&) = default;
};

// The point of a solution.
CurvePoint point_of(const Solution& solution);

// What solve_frontier() found.
Curve whole_curve(const Graph& graph, const Frontier& frontier);

// A quick look: the strategies that need no search, at `budgets`, and the gap
// program at some more. Takes seconds for tens of thousands of ops: the larger
// the graph, the fewer strategies and budgets. The same every time.
Curve quick_curve(const Graph& graph, OrderRule order,
                  const std::vector<Bytes>& budgets);

}  // namespace rematch
