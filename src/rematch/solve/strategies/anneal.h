// SPDX-License-Identifier: Apache-2.0
// The anytime search as a strategy.
#pragma once

#include "rematch/solve/strategy.h"

namespace rematch {

// The plan of anneal(). Proves nothing.
Proposal propose_anneal(const Problem& problem, const Request& request);

}  // namespace rematch
