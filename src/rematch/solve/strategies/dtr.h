// SPDX-License-Identifier: Apache-2.0
// Dynamic tensor rematerialization (Kirisame et al. 2021), simulated: an online
// greedy that evicts when memory runs out and recomputes on demand.
#pragma once

#include "rematch/solve/strategy.h"

namespace rematch {

// Runs the ops in the graph's order. When the next op does not fit, evicts the
// tensor with the least cost / (bytes x staleness), where cost is that of its
// producer plus that of the evicted neighbourhood (by equivalence classes, as
// in the paper's prototype), and frees a tensor after its last use in the
// order. Each simulated step is one unit of work.
Proposal propose_dtr(const Problem& problem, const Request& request);

}  // namespace rematch
