// SPDX-License-Identifier: Apache-2.0
// The exact search: the split program, refined until a plan meets its bound.
#pragma once

#include "rematch/solve/request.h"
#include "rematch/solve/strategy.h"

namespace rematch {

// `problem` has a fixed order.
Proposal solve_split(const Problem& problem, const Request& request);

}  // namespace rematch
