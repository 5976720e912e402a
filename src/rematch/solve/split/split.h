// SPDX-License-Identifier: Apache-2.0
// The gap program, refined until it is exact.
#pragma once

#include "rematch/solve/strategy.h"

namespace rematch {

Proposal solve_split(const Problem& problem, const Request& request);

}  // namespace rematch
