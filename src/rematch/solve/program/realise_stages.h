// SPDX-License-Identifier: Apache-2.0
// From what is kept between stages to a plan, each stage in its best order.
#pragma once

#include <optional>
#include <vector>

#include "rematch/plan/plan.h"
#include "rematch/solve/program/stage_search.h"
#include "rematch/solve/program/staging.h"

namespace rematch {

struct RealisedStages {
  // Costs no more than any plan that keeps the same, if every stage was found;
  // none if one was not.
  std::optional<Plan> plan;
  std::vector<StageTask> tasks;     // By stage.
  std::vector<TaskAnswer> answers;  // By stage, of these tasks.
};

// Stopped by the clock, it has the stages up to there and no plan.
RealisedStages realise_stages(const Graph& graph, Bytes budget,
                              const KeptSets& kept, std::size_t most_states,
                              SolveClock& clock);

// A task that is as easy as can be but costs at least as much: what is kept in
// grows, what is kept out shrinks. Tries at most `most_tries` changes, none
// once the clock says stop.
StageTask widened(const Graph& graph, Bytes budget, const Staging& staging,
                  StageTask task, Cost least, int most_tries,
                  SolveClock& clock);

}  // namespace rematch
