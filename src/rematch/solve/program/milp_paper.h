// SPDX-License-Identifier: Apache-2.0
// Checkmate's program solved as published, and what it leaves open.
#pragma once

#include "rematch/solve/strategy.h"

namespace rematch {

// The cheapest plan of Checkmate's kind: in each stage an op runs at most once,
// and ops run in the graph's order. Other plans can be cheaper, so the
// telescoped program goes on from there and proves the answer, or improves it.
// `problem` has a fixed order.
Proposal solve_paper(const Problem& problem, const Request& request);

}  // namespace rematch
