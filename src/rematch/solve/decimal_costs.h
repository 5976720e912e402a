// SPDX-License-Identifier: Apache-2.0
// Proofs where costs are decimal fractions, whose sums in doubles are off by
// rounding.
#pragma once

#include "rematch/plan/plan.h"
#include "rematch/plan/problem.h"

namespace rematch {

// Whether `bound`, which no plan's cost is below, rules out every plan that is
// cheaper than this one because costs are whole numbers of a tenth, a
// hundredth, ... up to 10^-6: then no plan's sum lies in between. False if some
// cost has more digits, or if rounding could be worth a tenth of such a unit.
bool is_cheapest_by_digits(const Graph& graph, const Plan& plan, Cost bound);

}  // namespace rematch
