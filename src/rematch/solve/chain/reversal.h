// SPDX-License-Identifier: Apache-2.0
// The sequence of ops that reverses a chain with a given number of slots.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rematch/base/limits.h"
#include "rematch/graph/graph.h"

namespace rematch {

// Backward and other ops grouped by the forward step whose value they wait
// for: an op belongs to the least step that it, or an op before it, reads.
// `after_step[i]` are the ops that run once step i's value is needed last.
struct ChainSteps {
  std::vector<OpId> forward;
  std::vector<std::vector<OpId>> after_step;  // By forward position.
};

// `graph` must be a chain in the sense of why_not_chain().
ChainSteps chain_steps(const Graph& graph);

// The optimal reversal of a uniform chain with `slots` >= 1 values stored at a
// time, as a sequence of ops with repeats. None if the meter says stop; each
// op counts as one unit of work.
std::optional<std::vector<OpId>> reversal_sequence(const ChainSteps& chain,
                                                   std::int64_t slots,
                                                   Meter& meter);

}  // namespace rematch
