// SPDX-License-Identifier: Apache-2.0
// The reruns of one stage, solved exactly: from what is live at one first
// computation to what has to be live at the next.
#pragma once

#include <cstdint>
#include <vector>

#include "rematch/solve/split/lives.h"

namespace rematch {

struct StageAnswer {
  // No way costs less; infinite if there is none. Where the search was cut off
  // it is what is proved by then.
  Cost least = 0;
  bool solved = false;      // A way of that cost was found: `order`.
  std::vector<OpId> order;  // The reruns, in the order in which they run.
  // Lives that mattered: whether another one is available changes nothing.
  std::vector<LifeId> relevant;
};

// Which lives are live at the first computation of a stage.
using LiveSet = IdVector<LifeId, bool>;

// Finds the cheapest reruns between the first computations of op stage - 1 and
// op `stage` that lead from `available` to `wanted` within the budget, in any
// order and with repeats. Only lives that are born before the stage count.
// Searches backwards from what is wanted, best first, up to `limit` in cost and
// so many states. More in `available` or less in `wanted` never costs more.
StageAnswer solve_stage(const Problem& problem, const Lives& lives,
                        std::int32_t stage, const LiveSet& available,
                        const LiveSet& wanted, Cost limit, int most_states);

}  // namespace rematch
