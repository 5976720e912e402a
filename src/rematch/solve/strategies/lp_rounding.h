// SPDX-License-Identifier: Apache-2.0
// Two-phase rounding of a relaxation: what is kept is rounded, the reruns
// follow from it.
#pragma once

#include "rematch/solve/strategy.h"

namespace rematch {

// Solves the relaxation of the telescoped program within the budget and within
// somewhat less, rounds what it keeps as the request says, repairs what is over
// the budget and keeps the cheapest plan that fits. The relaxation also gives a
// bound, with a fixed order.
Proposal propose_lp_rounding(const Problem& problem, const Request& request);

}  // namespace rematch
