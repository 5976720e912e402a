// SPDX-License-Identifier: Apache-2.0
// Makes a program finer where a point of it is no plan.
#pragma once

#include <cstdint>
#include <set>
#include <span>

#include "rematch/solve/split/split_round.h"

namespace rematch {

// What a point with whole numbers shows to be missing becomes part of the
// round's detail: memory rows, covers, cuts of stages that are looked at
// closely, moments, and stages to look at closely. Those at which it does not
// hold are left in `trouble`. No plan of interest spends more than `most` on
// reruns. True if the detail changed.
bool refine_at_point(const Problem& problem, const SplitRound& round,
                     std::span<const double> columns, Cost most,
                     std::set<std::int32_t>& trouble);

// Looks at every stage closely; false if the graph is too large for that.
bool refine_everywhere(const Graph& graph, SplitPoints& points);

}  // namespace rematch
