// SPDX-License-Identifier: Apache-2.0
// What a strategy is: a name, what it can do, and a function that proposes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rematch/base/limits.h"
#include "rematch/base/result.h"
#include "rematch/plan/solution.h"
#include "rematch/solve/request.h"

namespace rematch {

// What a strategy may claim and what it asks of the graph.
struct Capabilities {
  bool exact = false;        // Proves optimality where it runs to the end.
  bool gives_bound = false;  // May raise the lower bound on the cost.
  bool gap_bound = false;    // Its bound is no lower than the gap program's.
  bool needs_chain = false;  // Takes only graphs whose forward part is a chain.
  bool uses_budget = false;  // Its plan depends on the budget.
  bool free_order = false;   // Uses the freedom of a free order.
  bool randomised = false;   // Its plan depends on the seed.
};

// What a strategy found. Nobody trusts it before it was replayed.
struct Proposal {
  std::optional<Plan> plan;
  Cost lower_bound = 0;      // Proved by the strategy; 0: nothing.
  bool infeasible = false;   // Proved by the strategy: no plan exists.
  bool proves_plan = false;  // Proved by the strategy: none is cheaper.
  StopReason stop_reason = StopReason::kFinished;
  std::string message;  // Why there is no plan, or where it came from.
  // The strategies to which plan and bound are due, if to others; names that
  // last.
  std::string_view plan_finder;
  std::string_view bound_finder;
};

struct Strategy {
  std::string_view name;
  std::string_view summary;  // One line for people.
  std::string_view source;   // Where it was published.
  Capabilities can;
  Proposal (*propose)(const Problem& problem, const Request& request);
};

// All strategies, in the order in which people should read about them.
std::span<const Strategy> strategies();

// None if there is no strategy of that name.
const Strategy* find_strategy(std::string_view name);

// Fails with kInvalidArgument, listing the names there are.
Result<const Strategy*> strategy_named(std::string_view name);

// A proposal without a plan because a limit was hit.
Proposal stopped(Stop reason);

// Proved: there is no plan.
Proposal proved_infeasible();

// A proposal without a plan because the graph is not of the kind that the
// strategy takes.
Proposal not_applicable(std::string message);

}  // namespace rematch
