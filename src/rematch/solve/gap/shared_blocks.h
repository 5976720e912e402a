// SPDX-License-Identifier: Apache-2.0
// Plans for graphs of identical blocks: what is held is decided once for all of
// them.
#pragma once

#include "rematch/base/limits.h"
#include "rematch/solve/best_plan.h"

namespace rematch {

// Looks for identical blocks. If there are some, finds out on a version of the
// graph with few of them which tensors of a block are to be held in every
// block, or in every second or third one; then the gap program decides about
// everything else within the real budget. Offers plans to `incumbent`. Nothing
// but O(size of the graph) happens without blocks. `problem` as for solve_gaps;
// `bound` is what its gap program says about the cost of any plan.
void try_shared_blocks(const Problem& problem, Cost bound, BestPlan& incumbent,
                       Meter& meter);

}  // namespace rematch
