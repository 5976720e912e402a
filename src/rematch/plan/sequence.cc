// SPDX-License-Identifier: Apache-2.0
#include "rematch/plan/sequence.h"

#include <vector>

#include "rematch/base/check.h"
#include "rematch/plan/replay.h"

namespace rematch {

Plan plan_from_sequence(const Graph& graph, std::span<const OpId> sequence) {
  // Backwards: a tensor is dropped at the last step that touches its copy.
  IdVector<TensorId, bool> touched(graph.num_tensors());
  std::vector<std::vector<TensorId>> drops(sequence.size());
  const auto touch = [&](TensorId tensor, std::size_t at) {
    if (touched[tensor] || !graph.is_droppable(tensor)) return;
    touched[tensor] = true;
    drops[at].push_back(tensor);
  };
  for (std::size_t at = sequence.size(); at-- > 0;) {
    for (TensorId output : graph.outputs(sequence[at])) touch(output, at);
    // Before this run the copy that came earlier is a different one.
    for (TensorId output : graph.outputs(sequence[at])) {
      touched[output] = false;
    }
    for (TensorId input : graph.inputs(sequence[at])) touch(input, at);
  }
  Plan plan;
  plan.steps.reserve(2 * sequence.size());
  for (std::size_t at = 0; at < sequence.size(); ++at) {
    plan.steps.push_back(Step::compute(sequence[at]));
    for (TensorId tensor : drops[at]) plan.steps.push_back(Step::drop(tensor));
  }
  return plan;
}

Plan keep_all_plan(const Graph& graph) {
  std::vector<OpId> sequence;
  sequence.reserve(graph.num_ops());
  for (OpId op : graph.ops()) sequence.push_back(op);
  return plan_from_sequence(graph, sequence);
}

Bytes keep_all_peak(const Graph& graph) {
  const auto measured = replay(graph, keep_all_plan(graph), OrderRule::kFixed);
  REMATCH_CHECK(measured.ok(), "computing every op in order is a valid plan");
  return measured->peak;
}

}  // namespace rematch
