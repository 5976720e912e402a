// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/relaxed_kept.h"

#include <algorithm>
#include <cmath>

#include "rematch/lp/dual_bound.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/plan/stages.h"
#include "rematch/solve/gap/realise.h"

namespace rematch {
namespace {

constexpr int kMostRounds = 50;
// Taking out reruns replays the plan once for each.
constexpr std::size_t kPolishSteps = 20'000;

std::vector<KeptInterval> intervals(const KeptSets& kept) {
  std::vector<KeptInterval> result;
  for (std::size_t t = 0; t < kept.size(); ++t) {
    for (TensorId tensor : kept[t]) {
      const auto stage = static_cast<std::int32_t>(t);
      result.push_back({tensor, stage, stage});
    }
  }
  return result;
}

// The stage that a step belongs to, and whether it is the stage's own op.
struct Place {
  std::size_t stage = 0;
  OpId op;
};

Place place_of(const Plan& plan, std::size_t at) {
  Place place;
  for (std::size_t i = 0; i <= at; ++i) {
    if (!plan.steps[i].is_compute()) continue;
    place.op = plan.steps[i].op();
    if (i < at && place.op.index() == place.stage) ++place.stage;
  }
  return place;
}

// Drops tensors that are live at the peak and not touched there from what is
// kept into the stage and out of it. False if there is none.
bool drop_at_peak(const Graph& graph, const Plan& plan, const Replay& measured,
                  Bytes excess, KeptSets& kept) {
  const Place place = place_of(plan, measured.peak_step.index());
  std::vector<TensorId> candidates;
  for (TensorId tensor : live_tensors(graph, plan, measured.peak_step)) {
    if (!graph.is_droppable(tensor)) continue;
    const OpId producer = *graph.tensor(tensor).producer;
    if (!graph.op(producer).recomputable || producer == place.op) continue;
    if (std::ranges::find(graph.inputs(place.op), tensor) !=
        graph.inputs(place.op).end()) {
      continue;
    }
    if (graph.storage(graph.tensor(tensor).storage).bytes == 0) continue;
    const auto is_in = [&](std::size_t t) {
      return std::ranges::binary_search(kept[t], tensor);
    };
    if (is_in(place.stage) || is_in(place.stage + 1)) {
      candidates.push_back(tensor);
    }
  }
  const auto price = [&](TensorId tensor) {
    const auto& what = graph.tensor(tensor);
    return graph.op(*what.producer).cost /
           static_cast<double>(graph.storage(what.storage).bytes);
  };
  std::ranges::stable_sort(candidates, {}, price);
  Bytes freed = 0;
  for (TensorId tensor : candidates) {
    if (freed >= excess) break;
    freed += graph.storage(graph.tensor(tensor).storage).bytes;
    for (std::size_t t : {place.stage, place.stage + 1}) {
      std::erase(kept[t], tensor);
    }
  }
  return !candidates.empty();
}

LpStatus status_of(StopReason stop) {
  if (stop == StopReason::kInterrupted) return LpStatus::kInterrupted;
  return stop == StopReason::kTimeLimit ? LpStatus::kTimeLimit
                                        : LpStatus::kIterationLimit;
}

// Without the reruns that it does not need.
Plan polished(const Problem& problem, Plan plan, SolveClock& clock) {
  if (plan.steps.size() > kPolishSteps) return plan;
  Meter meter(clock.limits_left());
  plan = without_needless_runs(problem.graph, problem.budget, std::move(plan),
                               meter);
  clock.spend(meter.work());
  return plan;
}

// One price per row, and none that points to a bound that is not there.
std::vector<double> usable(const LinearModel& model,
                           std::vector<double> prices) {
  prices.resize(model.num_rows(), 0);
  for (RowId row : model.rows()) {
    double& price = prices[row.index()];
    const double bound =
        price > 0 ? model.row_lower(row) : model.row_upper(row);
    if (!std::isfinite(bound)) price = 0;
  }
  return prices;
}

}  // namespace

LpSolution relax_with_rerun_rows(LpSession& session, TelescopedProgram& program,
                                 SolveClock& clock) {
  LpSolution solution;
  for (int round = 0; round < kMostRounds; ++round) {
    LpSolution next = session.solve_relaxation(clock.left());
    clock.spend(next);
    // A limit in a later round leaves what the rounds before found.
    if (next.status != LpStatus::kOptimal &&
        next.status != LpStatus::kInfeasible && round > 0) {
      solution.status = next.status;
      solution.row_duals.resize(session.model().num_rows(), 0);
      return solution;
    }
    solution = std::move(next);
    if (solution.status != LpStatus::kOptimal) return solution;
    if (program.add_rerun_memory_rows(solution.columns, session.model()) == 0) {
      return solution;
    }
    const auto stop = clock.stop();
    if (stop || round + 1 == kMostRounds) {
      // Rows without a price prove as much as before.
      solution.row_duals.resize(session.model().num_rows(), 0);
      solution.columns.resize(session.model().num_columns(), 0);
      if (stop) solution.status = status_of(*stop);
      return solution;
    }
  }
  return solution;
}

double proved_bound(const LinearModel& model,
                    const std::vector<double>& row_prices) {
  return dual_bound(model, usable(model, row_prices));
}

std::vector<double> reduced_costs(const LinearModel& model,
                                  const std::vector<double>& row_prices) {
  const std::vector<double> prices = usable(model, row_prices);
  std::vector<long double> sums(model.costs().begin(), model.costs().end());
  for (RowId row : model.rows()) {
    const long double price = prices[row.index()];
    if (price == 0) continue;
    const auto columns = model.row_columns(row);
    const auto values = model.row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      sums[static_cast<std::size_t>(columns[i])] -= price * values[i];
    }
  }
  return {sums.begin(), sums.end()};
}

std::optional<Plan> plan_within(const Problem& problem, const KeptSets& kept,
                                SolveClock& clock) {
  const Graph& graph = problem.graph;
  KeptSets now = kept;
  for (std::size_t round = 0; round < 4 * graph.num_ops() + 8; ++round) {
    Meter meter(clock.limits_left());
    auto staged = staged_plan(graph, intervals(now), meter);
    if (clock.spend(meter.work()) || !staged) return std::nullopt;
    Plan plan = plan_from_sequence(graph, computed_ops(*staged));
    const auto measured = replay(graph, plan, problem.order);
    if (!measured.ok()) return std::nullopt;
    if (measured->peak <= problem.budget) {
      return polished(problem, std::move(plan), clock);
    }
    if (!drop_at_peak(graph, plan, *measured, measured->peak - problem.budget,
                      now)) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace rematch
