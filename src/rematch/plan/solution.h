// SPDX-License-Identifier: Apache-2.0
// The answer to a problem: a plan with its certificate, or why there is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rematch/base/bytes.h"
#include "rematch/base/cost.h"
#include "rematch/plan/plan.h"
#include "rematch/plan/problem.h"

namespace rematch {

enum class Outcome {
  kOptimal,     // A plan, proved to be a cheapest one.
  kFeasible,    // A plan within the budget.
  kInfeasible,  // Proved: no plan exists.
  kUnknown,     // No plan found, and no proof that there is none.
};

enum class StopReason {
  kProved,         // Nothing better exists.
  kFinished,       // The strategy did all that it does.
  kOverBudget,     // The strategy's plan needs more than the budget.
  kNotApplicable,  // The strategy does not take this kind of graph.
  kTimeLimit,
  kWorkLimit,
  kGapReached,
  kInterrupted,
};

// Every number in it comes from replay or from a proof.
struct Solution {
  Outcome outcome = Outcome::kUnknown;
  std::string strategy;
  OrderRule order = OrderRule::kFixed;
  std::uint64_t seed = 0;
  Bytes budget = 0;
  Bytes fixed_bytes = 0;
  Bytes peak_floor = 0;  // Proved lower bound on any plan's peak.
  Cost base_cost = 0;    // Every op once.
  Cost lower_bound = 0;  // Proved lower bound on any plan's cost.
  StopReason stop_reason = StopReason::kFinished;
  std::string message;  // One sentence where there is something to explain.
  double seconds = 0;   // Wall clock; not part of any file.

  // Set together, when the outcome is kOptimal or kFeasible.
  std::optional<Plan> plan;
  Bytes peak = 0;
  Cost cost = 0;

  bool has_plan() const { return plan.has_value(); }
  // cost / base_cost - 1; 0 if the base cost is 0.
  double overhead() const;
  // cost / lower_bound - 1: the plan costs at most this much more than the
  // best. None without a plan, or if the bound is 0 and the cost is not.
  std::optional<double> gap() const;

  friend bool operator==(const Solution&, const Solution&) = default;
};

// A plan that was searched for within less memory, as an answer to the question
// that `asked` answers: with its budget, and with what is proved there. Less
// memory proves more, which does not hold for all plans within the budget.
// `asked` itself if `found` has no plan.
Solution as_answer_to(const Solution& asked, Solution found);

// "optimal", "feasible", "infeasible", "unknown".
std::string_view outcome_name(Outcome outcome);
std::optional<Outcome> outcome_from_name(std::string_view name);
// "proved", "finished", "over_budget", "not_applicable", "time_limit",
// "work_limit", "gap_reached", "interrupted".
std::string_view stop_reason_name(StopReason reason);
std::optional<StopReason> stop_reason_from_name(std::string_view name);

}  // namespace rematch
