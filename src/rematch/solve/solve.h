// SPDX-License-Identifier: Apache-2.0
// The one driver: checks the problem, lets a strategy search, replays what it
// found, and only then answers.
#pragma once

#include "rematch/base/limits.h"
#include "rematch/plan/solution.h"
#include "rematch/solve/strategy.h"

namespace rematch {

// Answers `problem` with `strategy`. A budget below the floor is infeasible at
// once. A plan is reported only if replay accepts it within the budget; it is
// optimal only if its cost meets a proved lower bound, or no cost that a plan
// can have lies between (decimal_costs.h). The base cost is always a bound;
// with a fixed order so is that of the gap program. Throws InternalError if the
// strategy proposes an invalid plan or contradicts itself.
Solution solve(const Problem& problem, const Strategy& strategy,
               const Request& request);

}  // namespace rematch
