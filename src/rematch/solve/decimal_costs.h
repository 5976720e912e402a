// SPDX-License-Identifier: Apache-2.0
// Proofs where costs are decimal fractions, whose sums in doubles are off by
// rounding.
#pragma once

#include "rematch/plan/plan.h"
#include "rematch/plan/problem.h"

namespace rematch {

// Whether `bound`, which no plan's cost is below, rules out every plan that is
// cheaper than this one because costs are whole numbers of a tenth, a
// hundredth, ... up to 10^-12: then no plan's sum lies in between. False if
// some cost has more digits, or if rounding could be worth a tenth of such a
// unit.
bool is_cheapest_by_digits(const Graph& graph, const Plan& plan, Cost bound);

// The least by which costs of plans differ, if they do: of whole numbers what
// they have in common, else such a unit; 0 if there is none, or if rounding
// could hide it.
Cost cost_step(const Graph& graph);

}  // namespace rematch
