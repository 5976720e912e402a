// SPDX-License-Identifier: Apache-2.0
// One stage on its own: the cheapest way from what is kept into it to what is
// kept out of it, in whatever order, within the budget.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "rematch/plan/plan.h"
#include "rematch/plan/problem.h"
#include "rematch/solve/program/solve_clock.h"

namespace rematch {

// Tensors that may be dropped, ascending. What is kept out besides the stage's
// own outputs was computed in an earlier stage.
struct StageTask {
  OpId stage;
  std::vector<TensorId> kept_in;
  std::vector<TensorId> kept_out;
};

struct TaskAnswer {
  // No way costs less on reruns: proved. Infinite: there is no way.
  Cost least = 0;
  // A way that costs no more than any other if it is there; ops in order, the
  // stage's own last.
  std::optional<std::vector<OpId>> ops;
};

// The ops that must run before the stage's own whatever the order, ascending:
// the closed form of Checkmate's R. Their cost is the least if there is room.
std::vector<OpId> required_runs(const Graph& graph, const StageTask& task);

// Tries the required runs in every order first, the graph's own order foremost;
// if none fits, every sequence of runs and drops, cheapest first. Gives up
// after `most_states` states of either, or when the clock says stop, on which
// each state counts as a unit of work: then `ops` is empty and `least` is what
// was proved until then.
TaskAnswer cheapest_stage(const Graph& graph, Bytes budget,
                          const StageTask& task, std::size_t most_states,
                          SolveClock& clock);

}  // namespace rematch
