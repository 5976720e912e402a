// SPDX-License-Identifier: Apache-2.0
// The two ends of the scale: store everything, and store only the last value.
#pragma once

#include "rematch/solve/strategy.h"

namespace rematch {

// Every op once, in the graph's order.
Proposal propose_keep_all(const Problem& problem, const Request& request);

// Each stage keeps only the outputs of the op before it (and what no op can
// bring back); everything else is recomputed when it is needed.
Proposal propose_keep_last(const Problem& problem, const Request& request);

}  // namespace rematch
