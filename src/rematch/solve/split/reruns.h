// SPDX-License-Identifier: Apache-2.0
// From a point of the split program to a plan: when exactly the ops run again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rematch/plan/plan.h"
#include "rematch/solve/split/split_program.h"

namespace rematch {

// The op runs again before the first computation of op `stage`.
struct Rerun {
  OpId op;
  std::int32_t stage = 0;

  friend auto operator<=>(const Rerun&, const Rerun&) = default;
};

// Runs each op once in each piece in which the point runs it, as late as what
// needs it allows, and holds what several need from the first to the last of
// them. Ascending by stage, then op. The point has whole numbers.
std::vector<Rerun> reruns_at(const Graph& graph, const SplitProgram& program,
                             std::span<const double> columns);

// The plan that runs every op in the graph's order, and these between: stages
// ascend. Always valid; its peak is what it is.
Plan plan_with_reruns(const Graph& graph, std::span<const Rerun> reruns);

// The reruns of a plan in the fixed order.
std::vector<Rerun> reruns_of(const Graph& graph, const Plan& plan);

}  // namespace rematch
