// SPDX-License-Identifier: Apache-2.0
// Revolve (Griewank and Walther 2000): binomial checkpointing of chains.
#pragma once

#include "rematch/solve/strategy.h"

namespace rematch {

// The binomial schedule with the largest number of slots whose plan fits the
// budget. Proved optimal on uniform chains; on others it ignores costs and
// sizes.
Proposal propose_revolve(const Problem& problem, const Request& request);

}  // namespace rematch
