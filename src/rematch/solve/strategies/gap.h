// SPDX-License-Identifier: Apache-2.0
// The gap program as a strategy: a bound in milliseconds at any size, and a
// plan realised from it.
#pragma once

#include "rematch/solve/strategy.h"

namespace rematch {

// The bound of gap_bound() and the cheapest plan that fits among those realised
// from the relaxation within the budget and a little less. With a free order
// there is no bound.
Proposal propose_gap(const Problem& problem, const Request& request);

}  // namespace rematch
