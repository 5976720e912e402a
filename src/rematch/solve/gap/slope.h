// SPDX-License-Identifier: Apache-2.0
// Costs of gaps as the plans that come of them pay them.
#pragma once

#include <vector>

#include "rematch/plan/plan.h"
#include "rematch/solve/gap/gap_program.h"

namespace rematch {

// The program charges an evicted gap with one rerun, but a plan may have to run
// what that rerun reads as well, or may need it for several gaps at once. Moves
// the cost of each evicted gap half of the way to its share of what `plan`,
// made of these evictions, recomputes before the op that touches the storage
// next. The result is for choosing evictions: its value is no bound.
GapProgram with_paid_costs(const Graph& graph, const GapProgram& program,
                           const std::vector<bool>& evicted, const Plan& plan);

}  // namespace rematch
