// SPDX-License-Identifier: Apache-2.0
// A second replay, written for clarity alone and sharing no code with the
// library's: the state is a set of names, recounted at every step.
#pragma once

#include <optional>
#include <vector>

#include "rematch/plan/plan.h"
#include "rematch/plan/problem.h"

namespace rematch {

struct NaiveReplay {
  Bytes peak = 0;
  Cost cost = 0;
  std::vector<Bytes> footprint;
};

// None if the plan breaks a rule.
std::optional<NaiveReplay> naive_replay(const Graph& graph, const Plan& plan,
                                        OrderRule order);

}  // namespace rematch
