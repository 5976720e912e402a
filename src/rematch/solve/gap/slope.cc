// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/slope.h"

namespace rematch {
namespace {

// By op: what is recomputed since the op before it was first computed.
IdVector<OpId, Cost> recomputed_before(const Graph& graph, const Plan& plan) {
  IdVector<OpId, Cost> result(graph.num_ops(), 0);
  IdVector<OpId, char> seen(graph.num_ops(), 0);
  Cost since = 0;
  for (OpId op : computed_ops(plan)) {
    if (seen[op] != 0) {
      since += graph.op(op).cost;
      continue;
    }
    seen[op] = 1;
    result[op] = since;
    since = 0;
  }
  return result;
}

}  // namespace

GapProgram with_paid_costs(const Graph& graph, const GapProgram& program,
                           const std::vector<bool>& evicted, const Plan& plan) {
  const auto paid = recomputed_before(graph, plan);
  IdVector<OpId, Cost> charged(graph.num_ops(), 0);
  const auto reader = [&](const Gap& gap) -> std::optional<OpId> {
    const auto next = static_cast<std::size_t>(gap.last) + 1;
    if (next >= graph.num_ops()) return std::nullopt;
    return OpId(gap.last + 1);
  };
  for (std::size_t g = 0; g < program.gaps.size(); ++g) {
    const auto next = reader(program.gaps[g]);
    if (evicted[g] && next) charged[*next] += program.gaps[g].cost;
  }
  GapProgram result = program;
  for (std::size_t g = 0; g < program.gaps.size(); ++g) {
    Gap& gap = result.gaps[g];
    const auto next = reader(gap);
    if (!evicted[g] || !next || charged[*next] <= 0) continue;
    const double dearer = (1 + paid[*next] / charged[*next]) / 2;
    gap.cost *= dearer;
    gap.share *= dearer;  // Prices with tails come from the share.
  }
  return result;
}

}  // namespace rematch
