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

constexpr std::int64_t kMostRunsPerOp = 20;

std::size_t first_of(const Gap& gap) {
  return static_cast<std::size_t>(gap.first);
}
std::size_t last_of(const Gap& gap) {
  return static_cast<std::size_t>(gap.last);
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

// What each stage has to spare if the chosen gaps are evicted.
std::vector<Bytes> slack_of(const GapProgram& program,
                            const std::vector<bool>& chosen) {
  std::vector<Bytes> slack(program.need.size() + 1);
  for (std::size_t g = 0; g < program.gaps.size(); ++g) {
    if (!chosen[g]) continue;
    slack[first_of(program.gaps[g])] += program.gaps[g].bytes;
    slack[last_of(program.gaps[g]) + 1] -= program.gaps[g].bytes;
  }
  std::partial_sum(slack.begin(), slack.end(), slack.begin());
  slack.pop_back();
  for (std::size_t t = 0; t < slack.size(); ++t) slack[t] -= program.need[t];
  return slack;
}

// Walks through the stages and decides what to keep: what is not evicted, and
// of what has to be recomputed whatever then fits until its next touch.
class Realisation {
 public:
  Realisation(const Graph& graph, const GapProgram& program,
              const std::vector<bool>& evicted)
      : graph_(graph),
        slack_(slack_of(program, evicted)),
        kept_until_(graph.num_tensors(), -1),
        wanted_in_(graph.num_ops(), -1),
        lost_(graph.num_storages()) {
    for (std::size_t g = 0; g < program.gaps.size(); ++g) {
      if (evicted[g]) {
        lost_[program.gaps[g].storage].push_back(program.gaps[g].first);
      }
    }
  }

  // None if the meter, which counts runs, says stop.
  std::optional<std::vector<KeptInterval>> run(Meter& meter) {
    for (OpId stage : graph_.ops()) {
      choose_ops(stage);
      if (meter.stop(static_cast<std::int64_t>(ops_.size()))) {
        return std::nullopt;
      }
      for (TensorId output : graph_.outputs(stage)) keep_next(output, stage);
      for (TensorId input : graph_.inputs(stage)) keep_next(input, stage);
      hold_recomputed(stage);
    }
    return std::move(kept_);
  }

 private:
  // The ops of a stage: its own, and what its inputs are missing.
  void choose_ops(OpId stage) {
    ops_.assign(1, stage);
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      for (TensorId input : graph_.inputs(ops_[i])) {
        if (!graph_.is_droppable(input)) continue;
        if (kept_until_[input] >= stage.value) continue;
        const OpId producer = *graph_.tensor(input).producer;
        if (!graph_.op(producer).recomputable) continue;
        if (wanted_in_[producer] == stage.value) continue;
        wanted_in_[producer] = stage.value;
        ops_.push_back(producer);
      }
    }
  }

  // The next stage that reads the tensor; none if there is none.
  std::optional<std::int32_t> next_reader(TensorId tensor, OpId stage) const {
    const auto readers = graph_.readers(tensor);
    const auto next = std::upper_bound(readers.begin(), readers.end(), stage);
    if (next == readers.end()) return std::nullopt;
    return next->value;
  }

  void keep(TensorId tensor, OpId stage, std::int32_t until) {
    kept_.push_back({tensor, stage.value + 1, until});
    kept_until_[tensor] = until;
  }

  // What was touched stays until its next touch, unless that gap is evicted.
  void keep_next(TensorId tensor, OpId stage) {
    if (!graph_.is_droppable(tensor) || kept_until_[tensor] > stage.value) {
      return;
    }
    const auto next = next_reader(tensor, stage);
    if (!next) return;
    const auto& lost = lost_[graph_.tensor(tensor).storage];
    const auto gone =
        std::lower_bound(lost.begin(), lost.end(), stage.value + 1);
    if (gone != lost.end() && *gone < *next) return;
    keep(tensor, stage, *next);
  }

  // What was recomputed for this stage and is read again later stays if it
  // fits, the best cost per byte and stage first.
  void hold_recomputed(OpId stage) {
    struct Candidate {
      TensorId tensor;
      std::int32_t until;
      double value;
    };
    std::vector<Candidate> candidates;
    for (std::size_t i = 1; i < ops_.size(); ++i) {
      for (TensorId output : graph_.outputs(ops_[i])) {
        if (!graph_.is_droppable(output)) continue;
        if (kept_until_[output] > stage.value) continue;
        const auto next = next_reader(output, stage);
        if (!next) continue;
        const auto bytes = static_cast<double>(bytes_of(output));
        const double length = *next - stage.value;
        candidates.push_back(
            {output, *next, graph_.op(ops_[i]).cost / ((bytes + 1) * length)});
      }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) {
                       return a.value > b.value;
                     });
    for (const Candidate& candidate : candidates) {
      const auto first = static_cast<std::size_t>(stage.value) + 1;
      const auto end = static_cast<std::size_t>(candidate.until);
      const Bytes bytes = bytes_of(candidate.tensor);
      if (first < end) {
        if (slack_.least(first, end - 1) < bytes) continue;
        slack_.add(first, end - 1, -bytes);
      }
      keep(candidate.tensor, stage, candidate.until);
    }
  }

  Bytes bytes_of(TensorId tensor) const {
    return graph_.storage(graph_.tensor(tensor).storage).bytes;
  }

  const Graph& graph_;
  SlackTree slack_;
  IdVector<TensorId, std::int32_t> kept_until_;
  IdVector<OpId, std::int32_t> wanted_in_;
  // Where the evicted gaps of a storage begin, ascending.
  IdVector<StorageId, std::vector<std::int32_t>> lost_;
  std::vector<OpId> ops_;
  std::vector<KeptInterval> kept_;
};

}  // namespace

std::vector<bool> rounded_evictions(const GapProgram& program,
                                    const std::vector<double>& evicted) {
  std::vector<bool> chosen(program.gaps.size());
  std::vector<std::size_t> order;
  for (std::size_t g = 0; g < program.gaps.size(); ++g) {
    if (evicted[g] <= 0) continue;
    chosen[g] = true;
    order.push_back(g);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) {
                     return program.gaps[a].cost > program.gaps[b].cost;
                   });
  SlackTree tree(slack_of(program, chosen));
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
  // A plan that is much longer than the graph is of no use to anyone.
  Limits short_plans;
  short_plans.work =
      kMostRunsPerOp * static_cast<std::int64_t>(graph.num_ops()) + 1000;
  Meter length(short_plans);
  auto kept = Realisation(graph, program, evicted).run(length);
  if (!kept || meter.stop(length.work())) return std::nullopt;
  Meter again(short_plans);
  auto staged = staged_plan(graph, *std::move(kept), again);
  if (!staged || meter.stop(again.work())) return std::nullopt;
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
