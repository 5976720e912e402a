// SPDX-License-Identifier: Apache-2.0
// Checks the claims of a solution that came from elsewhere.
#pragma once

#include "rematch/base/result.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/solution.h"

namespace rematch {

// Replays the plan of `solution`, which has one, in the order that it names,
// and compares every number that it claims with what replay and the graph say:
// peak, cost, base cost, fixed bytes, peak within the budget, a floor not above
// peak_floor(), bounds not above what the plan reaches, and a cost that meets
// the bound where it says optimal. Fails with kInvalidPlan, naming both
// numbers. That a bound of the cost was proved is the one claim that cannot be
// checked.
Result<Replay> confirm(const Graph& graph, const Solution& solution);

}  // namespace rematch
