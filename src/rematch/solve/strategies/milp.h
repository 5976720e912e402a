// SPDX-License-Identifier: Apache-2.0
// The exact program, in one of its formulations.
#pragma once

#include "rematch/solve/strategy.h"

namespace rematch {

// Solves the program that the request names. Takes fixed orders only.
Proposal propose_milp(const Problem& problem, const Request& request);

}  // namespace rematch
