// SPDX-License-Identifier: Apache-2.0
#include "rematch/plan/stages.h"

#include <algorithm>
#include <tuple>

#include "rematch/base/check.h"

namespace rematch {
namespace {

// Outputs of ops that run only once stay: a recomputation may read them at any
// later stage. drop_run_once_early() lets go of them when the plan is known.
void keep_what_cannot_come_back(const Graph& graph,
                                std::vector<KeptInterval>& kept) {
  for (OpId op : graph.ops()) {
    if (graph.op(op).recomputable) continue;
    for (TensorId tensor : graph.outputs(op)) {
      if (graph.readers(tensor).empty()) continue;
      kept.push_back(
          {tensor, op.value + 1, static_cast<std::int32_t>(graph.num_ops())});
    }
  }
}

// Sorted by tensor and time; overlapping and adjacent intervals become one.
std::vector<KeptInterval> merged(const Graph& graph,
                                 std::vector<KeptInterval> kept) {
  std::erase_if(kept, [&](const KeptInterval& interval) {
    return interval.first > interval.last ||
           !graph.is_droppable(interval.tensor);
  });
  std::sort(kept.begin(), kept.end(),
            [](const KeptInterval& a, const KeptInterval& b) {
              return std::tie(a.tensor, a.first) < std::tie(b.tensor, b.first);
            });
  std::vector<KeptInterval> result;
  for (const KeptInterval& next : kept) {
    REMATCH_CHECK(next.first > graph.tensor(next.tensor).producer->value,
                  "a tensor is kept only after it was computed");
    if (!result.empty() && result.back().tensor == next.tensor &&
        next.first <= result.back().last + 1) {
      result.back().last = std::max(result.back().last, next.last);
    } else {
      result.push_back(next);
    }
  }
  return result;
}

// The outputs of ops that run only once are held to the end by the plan; drops
// each of them after the last step that reads it instead.
Plan drop_run_once_early(const Graph& graph, Plan plan) {
  IdVector<TensorId, bool> held(graph.num_tensors());
  bool any = false;
  for (OpId op : graph.ops()) {
    if (graph.op(op).recomputable) continue;
    for (TensorId tensor : graph.outputs(op)) {
      held[tensor] =
          graph.is_droppable(tensor) && !graph.readers(tensor).empty();
      any = any || held[tensor];
    }
  }
  if (!any) return plan;
  std::vector<Step> backwards;
  for (std::size_t at = plan.steps.size(); at-- > 0;) {
    const Step& step = plan.steps[at];
    if (step.is_compute()) {
      for (TensorId input : graph.inputs(step.op())) {
        if (!held[input]) continue;
        held[input] = false;
        backwards.push_back(Step::drop(input));
      }
    }
    backwards.push_back(step);
  }
  std::reverse(backwards.begin(), backwards.end());
  plan.steps = std::move(backwards);
  return plan;
}

class StagedPlanner {
 public:
  StagedPlanner(const Graph& graph, std::vector<KeptInterval> kept)
      : graph_(graph),
        starting_(graph.num_ops() + 1),
        ending_(graph.num_ops() + 1),
        kept_until_(graph.num_tensors(), kNever),
        wanted_in_(graph.num_ops(), kNever),
        last_reader_(graph.num_tensors(), 0) {
    keep_what_cannot_come_back(graph, kept);
    const auto stages = static_cast<std::int32_t>(graph.num_ops());
    for (KeptInterval interval : merged(graph, std::move(kept))) {
      interval.last = std::min(interval.last, stages);
      starting_[static_cast<std::size_t>(interval.first)].push_back(interval);
      ending_[static_cast<std::size_t>(interval.last)].push_back(
          interval.tensor);
    }
  }

  std::optional<Plan> run(Meter& meter) {
    for (OpId op : graph_.ops()) {
      choose_ops(op);
      if (meter.stop(static_cast<std::int64_t>(ops_.size()))) {
        return std::nullopt;
      }
      emit(op);
    }
    return std::move(plan_);
  }

 private:
  static constexpr std::int32_t kNever = -1;

  bool is_kept_into(TensorId tensor, OpId stage) const {
    return kept_until_[tensor] >= stage.value;
  }

  void want(OpId op, OpId stage) {
    if (wanted_in_[op] == stage.value) return;
    wanted_in_[op] = stage.value;
    ops_.push_back(op);
  }

  // The ops of one stage, ascending: its own, the producers of what is kept
  // from here on, and whatever those are missing.
  void choose_ops(OpId stage) {
    ops_.clear();
    want(stage, stage);
    for (const KeptInterval& next : starting_[stage.index() + 1]) {
      if (!is_kept_into(next.tensor, stage)) {
        want(*graph_.tensor(next.tensor).producer, stage);
      }
    }
    // NOLINTNEXTLINE(modernize-loop-convert): ops_ grows inside the loop.
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      for (TensorId input : graph_.inputs(ops_[i])) {
        if (!graph_.is_droppable(input)) continue;
        if (is_kept_into(input, stage)) continue;
        want(*graph_.tensor(input).producer, stage);
      }
    }
    std::sort(ops_.begin(), ops_.end());
  }

  void emit(OpId stage) {
    for (const KeptInterval& next : starting_[stage.index() + 1]) {
      kept_until_[next.tensor] = next.last;
    }
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      for (TensorId input : graph_.inputs(ops_[i])) last_reader_[input] = i + 1;
    }
    for (TensorId tensor : ending_[stage.index()]) {
      if (last_reader_[tensor] == 0) plan_.steps.push_back(Step::drop(tensor));
    }
    for (std::size_t i = 0; i < ops_.size(); ++i) emit_op(stage, i);
    for (OpId op : ops_) {
      for (TensorId input : graph_.inputs(op)) last_reader_[input] = 0;
    }
  }

  void emit_op(OpId stage, std::size_t position) {
    const OpId op = ops_[position];
    plan_.steps.push_back(Step::compute(op));
    const OpId next_stage(stage.value + 1);
    for (TensorId input : graph_.inputs(op)) {
      if (last_reader_[input] != position + 1) continue;
      last_reader_[input] = 0;  // Listed twice, dropped once.
      drop_unless_kept(input, next_stage);
    }
    for (TensorId output : graph_.outputs(op)) {
      if (last_reader_[output] == 0) drop_unless_kept(output, next_stage);
    }
  }

  void drop_unless_kept(TensorId tensor, OpId next_stage) {
    if (!graph_.is_droppable(tensor)) return;
    if (is_kept_into(tensor, next_stage)) return;
    plan_.steps.push_back(Step::drop(tensor));
  }

  const Graph& graph_;
  std::vector<std::vector<KeptInterval>> starting_;  // By first stage.
  std::vector<std::vector<TensorId>> ending_;        // By last stage.
  IdVector<TensorId, std::int32_t> kept_until_;      // Last stage kept into.
  IdVector<OpId, std::int32_t> wanted_in_;           // Last stage it runs in.
  // Position + 1 in ops_ of the last op that reads it in this stage; 0: none.
  IdVector<TensorId, std::size_t> last_reader_;
  std::vector<OpId> ops_;
  Plan plan_;
};

}  // namespace

std::optional<Plan> staged_plan(const Graph& graph,
                                std::vector<KeptInterval> kept, Meter& meter) {
  auto plan = StagedPlanner(graph, std::move(kept)).run(meter);
  if (!plan) return std::nullopt;
  return drop_run_once_early(graph, *std::move(plan));
}

}  // namespace rematch
