// SPDX-License-Identifier: Apache-2.0
// The memory of a plan as a small chart of characters, for a terminal.
#pragma once

#include "rematch/cli/console.h"
#include "rematch/graph/graph.h"
#include "rematch/plan/solution.h"

namespace rematch {

// Prints the footprint of each run of the solution's plan from left to right,
// with the line of the budget and, above the plan, what keeping everything
// would need. Fits the console's width; blocks, or plain ASCII where the
// console has no Unicode.
void print_memory_curve(const Graph& graph, const Solution& solution,
                        const Console& console);

}  // namespace rematch
