// SPDX-License-Identifier: Apache-2.0
// Prices of a relaxation to more digits than a solver gives.
#pragma once

#include "rematch/lp/lp_session.h"
#include "rematch/solve/program/solve_clock.h"

namespace rematch {

// A solver's prices are off by about 1e-8, which hides costs that are so much
// smaller than the largest. What its prices leave of each column's cost is
// solved again as a cost of its own, magnified; the prices of both together
// prove more. `relaxed` is the optimum of the session's model, and points whose
// objective is `target` or more are of no interest. Returns a point and prices
// that prove at least as much; stops where they prove the target. Costs are as
// before afterwards.
LpSolution with_refined_prices(LpSession& session, SolveClock& clock,
                               LpSolution relaxed, double target);

}  // namespace rematch
