// SPDX-License-Identifier: Apache-2.0
// The dynamic program over chains of blocks (after rotor, Beaumont et al.).
#pragma once

#include "rematch/solve/strategy.h"

namespace rematch {

// On the uniform chain: the closed-form optimum, proved. On other chains of
// blocks: the best persistent schedule (a value that was stored stays until
// its block is done), with memory counted in 1/500 of the budget, rounded up;
// claims no more than feasible, since a schedule that is not persistent can be
// better. Each table entry is one unit of work.
Proposal propose_chain_dp(const Problem& problem, const Request& request);

}  // namespace rematch
