// SPDX-License-Identifier: Apache-2.0
// Brute force over all plans of a tiny graph: the oracle of the tests.
#pragma once

#include "rematch/solve/strategy.h"

namespace rematch {

// Shortest path over all states (what is live, what was computed). Proves the
// optimum, or that no plan exists. Takes at most 24 droppable tensors and, with
// free order, 24 ops. Each state expanded is one unit of work.
Proposal propose_exhaustive(const Problem& problem, const Request& request);

}  // namespace rematch
