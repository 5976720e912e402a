// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/stage_fit.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "rematch/base/check.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/split/stage_oracle.h"

namespace rematch {
namespace {

constexpr int kMostStates = 5'000;
// How many stages are tried to have reruns together at.
constexpr int kMostTogether = 8;

// Calls visit(step, op, stage, is_first) for every compute step.
template <class Visit>
void for_computes(const Graph& graph, const Plan& plan, const Visit& visit) {
  IdVector<OpId, bool> ran(graph.num_ops());
  std::int32_t stage = 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (!plan.steps[i].is_compute()) continue;
    const OpId op = plan.steps[i].op();
    const bool first = !ran[op];
    visit(i, op, first ? op.value : stage, first);
    if (first) {
      ran[op] = true;
      stage = op.value + 1;
    }
  }
}

std::vector<std::int32_t> by_excess(
    const std::map<std::int32_t, Bytes>& excess) {
  std::vector<std::pair<Bytes, std::int32_t>> order;
  for (const auto& [stage, bytes] : excess) order.emplace_back(-bytes, stage);
  std::sort(order.begin(), order.end());
  std::vector<std::int32_t> stages;
  for (const auto& [bytes, stage] : order) stages.push_back(stage);
  return stages;
}

// Which lives are live at the first computations of some stages.
std::map<std::int32_t, LiveSet> live_sets(
    const Graph& graph, const Lives& lives, const Plan& plan,
    const std::set<std::int32_t>& stages) {
  std::map<std::int32_t, LiveSet> result;
  IdVector<TensorId, bool> live(graph.num_tensors());
  IdVector<OpId, bool> ran(graph.num_ops());
  for (const Step& step : plan.steps) {
    if (!step.is_compute()) {
      live[step.tensor()] = false;
      continue;
    }
    for (TensorId output : graph.outputs(step.op())) live[output] = true;
    if (ran[step.op()]) continue;
    ran[step.op()] = true;
    if (!stages.contains(step.op().value)) continue;
    LiveSet now(lives.all.size());
    for (LifeId id : lives.all.ids()) {
      now[id] = live[lives.all[id].tensor];
    }
    result.emplace(step.op().value, std::move(now));
  }
  return result;
}

// The reruns of stages [from, to] at stage `from`, each once; none if one of
// them cannot run there yet.
std::optional<std::vector<Rerun>> brought_together(
    std::span<const Rerun> reruns, std::int32_t from, std::int32_t to) {
  std::set<OpId> together;
  std::vector<Rerun> before;
  std::vector<Rerun> after;
  for (const Rerun& rerun : reruns) {
    if (rerun.stage < from) before.push_back(rerun);
    if (rerun.stage > to) after.push_back(rerun);
    if (rerun.stage < from || rerun.stage > to) continue;
    if (rerun.op.value >= from) return std::nullopt;
    together.insert(rerun.op);
  }
  for (OpId op : together) before.push_back({op, from});
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

}  // namespace

Overflow overflow_of(const Problem& problem, const Plan& plan) {
  const auto measured = replay(problem.graph, plan, OrderRule::kFixed);
  REMATCH_CHECK(measured.ok(), "a plan with an overflow is valid");
  std::map<std::int32_t, Bytes> first_runs;
  std::map<std::int32_t, Bytes> reruns;
  for_computes(problem.graph, plan,
               [&](std::size_t step, OpId, std::int32_t stage, bool first) {
                 const Bytes over = measured->footprint[step] - problem.budget;
                 if (over <= 0) return;
                 Bytes& most = (first ? first_runs : reruns)[stage];
                 most = std::max(most, over);
               });
  return {by_excess(first_runs), by_excess(reruns)};
}

Plan with_fitting_stages(const Problem& problem, const Lives& lives,
                         const Plan& plan) {
  const Graph& graph = problem.graph;
  const Overflow overflow = overflow_of(problem, plan);
  std::set<std::int32_t> stages;
  for (std::int32_t stage : overflow.reruns) {
    if (stage == 0) continue;
    stages.insert(stage);
    stages.insert(stage - 1);
  }
  const auto live = live_sets(graph, lives, plan, stages);
  std::map<std::int32_t, std::vector<OpId>> order;
  for (std::int32_t stage : overflow.reruns) {
    if (stage == 0) continue;
    StageAnswer answer =
        solve_stage(problem, lives, stage, live.at(stage - 1), live.at(stage),
                    graph.base_cost(), kMostStates);
    if (answer.solved) order.emplace(stage, std::move(answer.order));
  }
  std::vector<OpId> sequence;
  for_computes(graph, plan,
               [&](std::size_t, OpId op, std::int32_t stage, bool first) {
                 const auto other = order.find(stage);
                 if (first && other != order.end()) {
                   sequence.insert(sequence.end(), other->second.begin(),
                                   other->second.end());
                 }
                 if (first || other == order.end()) sequence.push_back(op);
               });
  return plan_from_sequence(graph, sequence);
}

std::optional<Plan> with_reruns_together(const Problem& problem,
                                         const Lives& lives,
                                         std::span<const Rerun> reruns,
                                         Cost limit) {
  const Graph& graph = problem.graph;
  const Overflow overflow =
      overflow_of(problem, plan_with_reruns(graph, reruns));
  if (overflow.reruns.empty()) return std::nullopt;
  const std::int32_t to = overflow.reruns.front();
  std::set<std::int32_t, std::greater<>> stages;
  for (const Rerun& rerun : reruns) {
    if (rerun.stage < to) stages.insert(rerun.stage);
  }
  int tries = 0;
  for (std::int32_t from : stages) {
    if (++tries > kMostTogether) break;
    const auto moved = brought_together(reruns, from, to);
    if (!moved) break;
    Plan plan =
        with_fitting_stages(problem, lives, plan_with_reruns(graph, *moved));
    const auto measured = replay(graph, plan, OrderRule::kFixed);
    REMATCH_CHECK(measured.ok(), "a plan with reruns moved is valid");
    if (measured->peak <= problem.budget && measured->cost < limit) return plan;
  }
  return std::nullopt;
}

std::optional<Plan> plan_by_stages(const Problem& problem,
                                   const SplitProgram& program,
                                   std::span<const double> columns) {
  const Graph& graph = problem.graph;
  const Lives& lives = program.lives();
  std::vector<OpId> sequence;
  LiveSet before(lives.all.size());
  for (OpId op : graph.ops()) {
    LiveSet now(lives.all.size());
    for (LifeId id : lives.all.ids()) {
      now[id] = program.surely_live(id, op.value).at(columns) > 0.5;
    }
    const StageAnswer answer =
        solve_stage(problem, lives, op.value, before, now,
                    std::numeric_limits<Cost>::infinity(), kMostStates);
    if (!answer.solved) return std::nullopt;
    sequence.insert(sequence.end(), answer.order.begin(), answer.order.end());
    sequence.push_back(op);
    before = std::move(now);
  }
  return plan_from_sequence(graph, sequence);
}

}  // namespace rematch
