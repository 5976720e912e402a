// SPDX-License-Identifier: Apache-2.0
#include "rematch/graph/graph.h"

namespace rematch {

std::string_view phase_name(Phase phase) {
  switch (phase) {
    case Phase::kForward:
      return "forward";
    case Phase::kBackward:
      return "backward";
    case Phase::kOther:
      return "other";
  }
  return "other";
}

std::optional<Phase> phase_from_name(std::string_view name) {
  for (Phase phase : {Phase::kForward, Phase::kBackward, Phase::kOther}) {
    if (phase_name(phase) == name) return phase;
  }
  return std::nullopt;
}

Cost cost_of_runs(const Graph& graph,
                  const IdVector<OpId, std::int64_t>& runs) {
  Cost total = 0;
  for (OpId op : graph.ops()) {
    total += static_cast<Cost>(runs[op]) * graph.op(op).cost;
  }
  return total;
}

}  // namespace rematch
