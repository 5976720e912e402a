// SPDX-License-Identifier: Apache-2.0
// The telescoped program solved to proof: relaxation, reduced-cost fixing
// around a guessed gap, integer program, and cuts where a stage has no room.
#pragma once

#include "rematch/solve/strategy.h"

namespace rematch {

// The cheapest plan in the fixed order, or the best plan and bound found within
// the limits. Holds for all plans in the fixed order: reruns within a stage may
// come in any order. `problem` has a fixed order.
Proposal solve_telescoped(const Problem& problem, const Request& request);

}  // namespace rematch
