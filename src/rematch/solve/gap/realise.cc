// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/realise.h"

#include <algorithm>
#include <numeric>

#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/plan/stages.h"
#include "rematch/solve/gap/slack_tree.h"

namespace rematch {
namespace {

std::size_t first_of(const Gap& gap) {
  return static_cast<std::size_t>(gap.first);
}
std::size_t last_of(const Gap& gap) {
  return static_cast<std::size_t>(gap.last);
}

// Stages at which the tensor is computed first or read, ascending.
std::vector<std::int32_t> touches(const Graph& graph, TensorId tensor) {
  std::vector<std::int32_t> result = {graph.tensor(tensor).producer->value};
  for (OpId reader : graph.readers(tensor)) result.push_back(reader.value);
  return result;
}

// Repeats by descending cost: positions in the sequence that are not the first
// run of their op.
std::vector<std::size_t> repeats_by_cost(const Graph& graph,
                                         const std::vector<OpId>& sequence) {
  std::vector<std::size_t> repeats;
  IdVector<OpId, bool> ran(graph.num_ops());
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    if (ran[sequence[i]]) repeats.push_back(i);
    ran[sequence[i]] = true;
  }
  std::stable_sort(
      repeats.begin(), repeats.end(), [&](std::size_t a, std::size_t b) {
        return graph.op(sequence[a]).cost > graph.op(sequence[b]).cost;
      });
  return repeats;
}

}  // namespace

std::vector<bool> rounded_evictions(const GapProgram& program,
                                    const std::vector<double>& evicted) {
  std::vector<bool> chosen(program.gaps.size());
  std::vector<Bytes> slack(program.need.size() + 1);
  std::vector<std::size_t> order;
  for (std::size_t g = 0; g < program.gaps.size(); ++g) {
    if (evicted[g] <= 0) continue;
    chosen[g] = true;
    order.push_back(g);
    slack[first_of(program.gaps[g])] += program.gaps[g].bytes;
    slack[last_of(program.gaps[g]) + 1] -= program.gaps[g].bytes;
  }
  std::partial_sum(slack.begin(), slack.end(), slack.begin());
  slack.pop_back();
  for (std::size_t t = 0; t < slack.size(); ++t) slack[t] -= program.need[t];
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) {
                     return program.gaps[a].cost > program.gaps[b].cost;
                   });
  SlackTree tree(slack);
  for (std::size_t g : order) {
    const Gap& gap = program.gaps[g];
    if (tree.least(first_of(gap), last_of(gap)) < gap.bytes) continue;
    tree.add(first_of(gap), last_of(gap), -gap.bytes);
    chosen[g] = false;
  }
  return chosen;
}

std::optional<Plan> realise(const Graph& graph, const GapProgram& program,
                            const std::vector<bool>& evicted, Meter& meter) {
  // Evicted gaps by storage, ascending in time as in the program.
  IdVector<StorageId, std::vector<std::int32_t>> evicted_at(
      graph.num_storages());
  for (std::size_t g = 0; g < program.gaps.size(); ++g) {
    if (!evicted[g]) continue;
    evicted_at[program.gaps[g].storage].push_back(program.gaps[g].first);
  }
  std::vector<KeptInterval> kept;
  for (TensorId tensor : graph.tensors()) {
    if (!graph.is_droppable(tensor)) continue;
    const auto& gone = evicted_at[graph.tensor(tensor).storage];
    const auto stages = touches(graph, tensor);
    for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
      const auto next =
          std::lower_bound(gone.begin(), gone.end(), stages[i] + 1);
      const bool lost = next != gone.end() && *next < stages[i + 1];
      if (!lost) kept.push_back({tensor, stages[i] + 1, stages[i + 1]});
    }
  }
  auto staged = staged_plan(graph, std::move(kept), meter);
  if (!staged) return std::nullopt;
  return plan_from_sequence(graph, computed_ops(*staged));
}

Plan without_needless_runs(const Graph& graph, Bytes budget, Plan plan,
                           Meter& meter) {
  std::vector<OpId> sequence = computed_ops(plan);
  std::vector<bool> removed(sequence.size());
  std::vector<OpId> shorter;
  for (std::size_t repeat : repeats_by_cost(graph, sequence)) {
    if (meter.stop(static_cast<std::int64_t>(sequence.size()))) break;
    shorter.clear();
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      if (!removed[i] && i != repeat) shorter.push_back(sequence[i]);
    }
    Plan candidate = plan_from_sequence(graph, shorter);
    const auto measured = replay(graph, candidate, OrderRule::kFixed);
    if (!measured || measured->peak > budget) continue;
    removed[repeat] = true;
    plan = std::move(candidate);
  }
  return plan;
}

}  // namespace rematch
