// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/keep.h"

#include "rematch/plan/sequence.h"
#include "rematch/plan/stages.h"

namespace rematch {

Proposal propose_keep_all(const Problem& problem, const Request&) {
  Proposal proposal;
  proposal.plan = keep_all_plan(problem.graph);
  return proposal;
}

Proposal propose_keep_last(const Problem& problem, const Request& request) {
  std::vector<KeptInterval> kept;
  for (OpId op : problem.graph.ops()) {
    for (TensorId tensor : problem.graph.outputs(op)) {
      kept.push_back({tensor, op.value + 1, op.value + 1});
    }
  }
  Meter meter(request.limits);
  Proposal proposal;
  proposal.plan = staged_plan(problem.graph, std::move(kept), meter);
  if (!proposal.plan) return stopped(*meter.reason());
  return proposal;
}

}  // namespace rematch
