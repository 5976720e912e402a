// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/staging.h"

#include <algorithm>

namespace rematch {

Staging staging(const Graph& graph) {
  Staging result{IdVector<OpId, std::int32_t>(graph.num_ops()),
                 IdVector<TensorId, std::int32_t>(graph.num_tensors())};
  // Readers come later, so backwards everything is known when it is needed.
  for (std::size_t at = graph.num_ops(); at-- > 0;) {
    const OpId op(at);
    std::int32_t last = op.value;
    for (TensorId tensor : graph.outputs(op)) {
      result.last_kept[tensor] = op.value;
      if (!graph.is_droppable(tensor)) continue;
      for (OpId reader : graph.readers(tensor)) {
        result.last_kept[tensor] =
            std::max(result.last_kept[tensor], result.last_run[reader]);
      }
      last = std::max(last, result.last_kept[tensor]);
    }
    result.last_run[op] = graph.op(op).recomputable ? last : op.value;
  }
  return result;
}

KeptSets kept_sets(const Graph& graph, const Plan& plan) {
  KeptSets kept(graph.num_ops() + 1);
  IdVector<TensorId, bool> live(graph.num_tensors());
  std::size_t computed = 0;
  bool ended = true;  // The stage before the next step is over.
  const auto begin_stage = [&] {
    for (TensorId tensor : graph.tensors()) {
      if (live[tensor]) kept[computed].push_back(tensor);
    }
    ended = false;
  };
  for (const Step& step : plan.steps) {
    if (!step.is_compute()) {
      live[step.tensor()] = false;
      continue;
    }
    if (ended) begin_stage();
    for (TensorId output : graph.outputs(step.op())) {
      if (graph.is_droppable(output)) live[output] = true;
    }
    if (step.op().index() != computed) continue;
    ++computed;
    ended = true;
  }
  return kept;
}

}  // namespace rematch
