// SPDX-License-Identifier: Apache-2.0
// The exact search: the split program, refined until a plan meets its bound.
#pragma once

#include "rematch/solve/request.h"
#include "rematch/solve/strategy.h"

namespace rematch {

// Whether the graph is small enough for it.
bool is_within_split(const Graph& graph);

// The cheapest plan in the fixed order with a proof, or the best plan and the
// best bound within the limits; a proof that there is none; or, for a graph
// that is too large, nothing. Begins with the gap program and a short search; a
// plan from the request's other_plan() is taken over whenever it is better.
// `problem` has a fixed order.
Proposal solve_split(const Problem& problem, const Request& request);

}  // namespace rematch
