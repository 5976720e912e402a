// SPDX-License-Identifier: Apache-2.0
// Staged plans: say what is kept from one first computation to the next, and
// the cheapest recomputation that makes it so follows.
#pragma once

#include <optional>
#include <vector>

#include "rematch/base/limits.h"
#include "rematch/plan/plan.h"
#include "rematch/plan/problem.h"

namespace rematch {

// Stage t ends with the first computation of op t. The tensor is kept into the
// stages [first, last]; first is after the stage of its producer.
struct KeptInterval {
  TensorId tensor;
  std::int32_t first = 0;
  std::int32_t last = 0;
};

// The plan in the graph's fixed order that keeps exactly `kept`, holding each
// tensor for as long as that says even if nothing reads it, and in each stage
// recomputes only what is missing: the closed form of Checkmate's R for a given
// S. Graph outputs, and outputs of ops that must not be recomputed, are kept
// as long as they are read whatever `kept` says. Intervals may overlap.
//
// Each step counts as one unit of work; none if `meter` says stop.
std::optional<Plan> staged_plan(const Graph& graph,
                                std::vector<KeptInterval> kept, Meter& meter);

}  // namespace rematch
