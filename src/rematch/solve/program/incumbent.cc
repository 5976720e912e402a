// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/incumbent.h"

#include <algorithm>
#include <cmath>

#include "rematch/base/check.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/gap/gap_bound.h"
#include "rematch/solve/gap/gap_plans.h"

namespace rematch {
namespace {

// For a plan where a limit came before one.
constexpr std::int64_t kWorkForPlan = 2'000'000;
constexpr double kSecondsForPlan = 0.1;

}  // namespace

void ProgramIncumbent::offer_first_plans() {
  offer(keep_all_plan(problem_.graph));
  const Plan* start = request_.start;
  if (start != nullptr && replay(problem_.graph, *start, problem_.order).ok()) {
    offer(*start);
  }
  raise_proved(0);
}

Cost ProgramIncumbent::offer(Plan plan) {
  const auto measured = replay(problem_.graph, plan, problem_.order);
  REMATCH_CHECK(measured.ok(), "a plan that is offered is valid");
  if (measured->peak > problem_.budget) {
    return std::numeric_limits<Cost>::infinity();
  }
  if (measured->cost < cost_) {
    plan_ = std::move(plan);
    cost_ = measured->cost;
    report();
  }
  return measured->cost;
}

Cost ProgramIncumbent::proved(Cost extra) const {
  if (!(extra > 0)) extra = 0;
  const Cost bound = std::nextafter(problem_.graph.base_cost() + extra, 0.0);
  return least_cost_from(problem_.graph, bound);
}

void ProgramIncumbent::raise_proved(Cost extra) {
  const Cost bound = proved(extra);
  if (!(bound > bound_)) return;
  bound_ = bound;
  report();
}

Cost ProgramIncumbent::bound_from_solver(const ProgramUnits& units,
                                         double scaled_extra) const {
  const double safe =
      scaled_extra - kSolverMargin * (1 + std::fabs(scaled_extra));
  if (!(safe > 0) || !std::isfinite(safe)) return bound_;
  const Cost proved =
      std::nextafter(problem_.graph.base_cost() + units.cost_from(safe), 0.0);
  return std::max(bound_, least_cost_from(problem_.graph, proved));
}

void ProgramIncumbent::raise_from_solver(const ProgramUnits& units,
                                         double scaled_extra) {
  const Cost bound = bound_from_solver(units, scaled_extra);
  if (!(bound > bound_)) return;
  bound_ = bound;
  report();
}

void ProgramIncumbent::report() const {
  if (request_.on_progress) request_.on_progress({cost_, bound_});
}

// The gap program has one in milliseconds.
void ProgramIncumbent::take_plan_of_gaps(StopReason reason) {
  if (problem_.order != OrderRule::kFixed) return;
  Limits little;
  little.work = kWorkForPlan;
  if (reason != StopReason::kWorkLimit) little.seconds = kSecondsForPlan;
  Meter meter(little);
  BestPlan found(problem_);
  solve_gaps(problem_, found, meter, GapEffort::kAsLongAsItHelps);
  if (found.fits()) offer(*found.take());
}

Proposal ProgramIncumbent::take(StopReason reason) {
  Proposal proposal;
  const bool is_stopped = reason == StopReason::kTimeLimit ||
                          reason == StopReason::kWorkLimit ||
                          reason == StopReason::kInterrupted;
  if (!plan_ && is_stopped) {
    take_plan_of_gaps(reason);
    proposal.message =
        plan_ ? "stopped before a plan was found; this one is the gap program's"
              : "stopped before a plan was found";
  }
  proposal.plan = std::move(plan_);
  proposal.lower_bound = bound_;
  proposal.stop_reason = reason;
  return proposal;
}

}  // namespace rematch
