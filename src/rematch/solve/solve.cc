// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/solve.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "rematch/base/check.h"
#include "rematch/plan/floor.h"
#include "rematch/plan/replay.h"
#include "rematch/solve/decimal_costs.h"
#include "rematch/solve/gap/gap_bound.h"

namespace rematch {
namespace {

// Sums of the same costs in another order differ by less than this share. It
// only tells rounding from a contradiction; nothing is proved by being close.
constexpr double kRounding = 1e-9;

class Clock {
 public:
  double seconds() const {
    const std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - start_;
    return spent.count();
  }

 private:
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

std::string size(Bytes bytes) {
  if (bytes < 1024) return format_bytes(bytes);
  return fmt::format("{} ({} bytes)", format_bytes(bytes), bytes);
}

Solution empty_solution(const Problem& problem, const Strategy& strategy,
                        const Limits& limits, const PeakFloor& floor) {
  Solution solution;
  solution.strategy = strategy.name;
  solution.order = problem.order;
  solution.seed = limits.seed;
  solution.budget = problem.budget;
  solution.fixed_bytes = problem.graph.fixed_bytes();
  solution.peak_floor = floor.bytes;
  solution.base_cost = problem.graph.base_cost();
  solution.lower_bound = solution.base_cost;
  return solution;
}

void declare_below_floor(const Problem& problem, const PeakFloor& floor,
                         Solution& solution) {
  solution.outcome = Outcome::kInfeasible;
  solution.stop_reason = StopReason::kProved;
  const std::string at =
      problem.graph.num_ops() == 0
          ? std::string("the graph inputs take that much")
          : fmt::format("that much is live while op '{}' runs",
                        problem.graph.op(floor.op).name);
  solution.message =
      fmt::format("no plan fits in {}: every plan needs at least {}, since {}",
                  size(problem.budget), size(floor.bytes), at);
}

// Takes over a plan that replay accepts within the budget.
void judge_plan(const Problem& problem, Plan plan, bool proved,
                Solution& solution) {
  const auto measured = replay(problem.graph, plan, problem.order);
  REMATCH_CHECK(measured.ok(),
                "strategy " + solution.strategy +
                    " proposed an invalid plan: " + measured.error().message);
  if (measured->peak > problem.budget) {
    REMATCH_CHECK(!proved, "a plan over the budget is not proved");
    solution.outcome = Outcome::kUnknown;
    if (solution.stop_reason == StopReason::kFinished) {
      solution.stop_reason = StopReason::kOverBudget;
    }
    solution.message = fmt::format(
        "{} found no plan within {}; the one it has needs {}, {} more",
        solution.strategy, size(problem.budget), size(measured->peak),
        format_bytes(measured->peak - problem.budget));
    return;
  }
  solution.plan = std::move(plan);
  solution.peak = measured->peak;
  solution.cost = measured->cost;
  REMATCH_CHECK(solution.lower_bound <= solution.cost * (1 + kRounding),
                "a proved lower bound is not above the cost of a plan");
  if (proved || solution.lower_bound >= solution.cost ||
      is_cheapest_by_digits(problem.graph, *solution.plan,
                            solution.lower_bound)) {
    solution.lower_bound = solution.cost;
    solution.outcome = Outcome::kOptimal;
    solution.stop_reason = StopReason::kProved;
    return;
  }
  solution.outcome = Outcome::kFeasible;
}

// Holds for every strategy; takes milliseconds. Comes first, so that it is
// there whatever stops the strategy.
Cost bound_of_gaps(const Problem& problem, const Limits& limits) {
  if (problem.order == OrderRule::kFree) return 0;
  Meter meter(limits);
  return gap_bound(problem, gap_program(problem), meter).lower_bound;
}

}  // namespace

Solution solve(const Problem& problem, const Strategy& strategy,
               const Request& request) {
  const Clock clock;
  const PeakFloor floor = peak_floor(problem.graph, problem.order);
  Solution solution = empty_solution(problem, strategy, request.limits, floor);
  if (problem.budget < floor.bytes) {
    declare_below_floor(problem, floor, solution);
    solution.seconds = clock.seconds();
    return solution;
  }
  Cost of_gaps = 0;
  if (!strategy.can.gap_bound) of_gaps = bound_of_gaps(problem, request.limits);
  Request rest = request;
  rest.limits.seconds = std::max(0.0, request.limits.seconds - clock.seconds());
  Proposal proposal = strategy.propose(problem, rest);
  // A strategy that gives this bound may have had no time to.
  if (strategy.can.gap_bound && proposal.lower_bound <= 0) {
    of_gaps = bound_of_gaps(problem, request.limits);
  }
  solution.lower_bound =
      std::max({solution.lower_bound, of_gaps, proposal.lower_bound});
  solution.stop_reason = proposal.stop_reason;
  solution.message = std::move(proposal.message);
  if (proposal.infeasible) {
    REMATCH_CHECK(!proposal.plan, "an infeasible problem has no plan");
    solution.outcome = Outcome::kInfeasible;
    solution.stop_reason = StopReason::kProved;
  } else if (proposal.plan) {
    judge_plan(problem, *std::move(proposal.plan), proposal.proves_plan,
               solution);
  }
  solution.seconds = clock.seconds();
  return solution;
}

}  // namespace rematch
