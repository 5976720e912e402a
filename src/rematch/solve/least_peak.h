// SPDX-License-Identifier: Apache-2.0
// The least budget within which a strategy finds a plan.
#pragma once

#include "rematch/solve/solve.h"

namespace rematch {

// The solution with the least peak that the strategy reaches; its budget is
// its own peak, and peak_floor is the proved lower bound on that peak. The
// range above the floor is halved a few times, then the floor itself is tried,
// then the range is halved until the answer is exact to a byte, as far as the
// strategy finds plans monotonically, or the limits are used up. The rest of
// the time is for a cheaper plan with that peak, unless the request's target is
// reached. kUnknown if the strategy finds no plan at all.
Solution solve_least_peak(const Graph& graph, OrderRule order,
                          const Strategy& strategy, const Request& request);

}  // namespace rematch
