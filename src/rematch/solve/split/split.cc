// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/split.h"

#include "rematch/solve/program/milp_telescoped.h"

namespace rematch {

// The telescoped program answers the same question.
Proposal solve_split(const Problem& problem, const Request& request) {
  return solve_telescoped(problem, request);
}

}  // namespace rematch
