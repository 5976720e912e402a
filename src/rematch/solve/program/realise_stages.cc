// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/realise_stages.h"

#include <algorithm>

#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

// Enough for what is easy to see; the rest is left as it is.
constexpr std::size_t kStatesPerTry = 300;

}  // namespace

RealisedStages realise_stages(const Graph& graph, Bytes budget,
                              const KeptSets& kept, std::size_t most_states,
                              SolveClock& clock) {
  RealisedStages result;
  std::vector<OpId> sequence;
  bool whole = true;
  for (OpId stage : graph.ops()) {
    if (clock.stop()) return result;
    result.tasks.push_back(
        {stage, kept[stage.index()], kept[stage.index() + 1]});
    result.answers.push_back(
        cheapest_stage(graph, budget, result.tasks.back(), most_states, clock));
    const auto& ops = result.answers.back().ops;
    whole = whole && ops.has_value();
    if (ops) sequence.insert(sequence.end(), ops->begin(), ops->end());
  }
  if (whole) result.plan = plan_from_sequence(graph, sequence);
  return result;
}

StageTask widened(const Graph& graph, Bytes budget, const Staging& staging,
                  StageTask task, Cost least, int most_tries,
                  SolveClock& clock) {
  const auto still = [&](const StageTask& tried) {
    return --most_tries >= 0 && !clock.stop() &&
           cheapest_stage(graph, budget, tried, kStatesPerTry, clock).least >=
               least;
  };
  for (std::size_t i = 0; i < task.kept_out.size();) {
    StageTask tried = task;
    tried.kept_out.erase(tried.kept_out.begin() +
                         static_cast<std::ptrdiff_t>(i));
    if (still(tried)) {
      task = std::move(tried);
    } else {
      ++i;
    }
  }
  for (OpId op : IdRange<OpId>(OpId(0), task.stage)) {
    for (TensorId tensor : graph.outputs(op)) {
      if (!graph.is_droppable(tensor)) continue;
      if (staging.last_kept[tensor] < task.stage.value) continue;
      const auto at = std::ranges::lower_bound(task.kept_in, tensor);
      if (at != task.kept_in.end() && *at == tensor) continue;
      StageTask tried = task;
      tried.kept_in.insert(tried.kept_in.begin() + (at - task.kept_in.begin()),
                           tensor);
      if (still(tried)) task = std::move(tried);
    }
  }
  return task;
}

}  // namespace rematch
