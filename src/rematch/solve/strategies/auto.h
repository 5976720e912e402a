// SPDX-License-Identifier: Apache-2.0
// The default: every strategy that takes the problem, the best plan and the
// best bound among them.
#pragma once

#include "rematch/solve/strategy.h"

namespace rematch {

// Runs the strategies on `limits.threads` threads, cheapest first, and stops
// once a plan is proved optimal or within `limits.gap` of the bound. The answer
// does not depend on the number of threads as long as no time limit is hit.
Proposal propose_auto(const Problem& problem, const Request& request);

}  // namespace rematch
