// SPDX-License-Identifier: Apache-2.0
// The best plan so far and the best proved bound, as a search over a program
// finds them.
#pragma once

#include <optional>

#include "rematch/plan/problem.h"
#include "rematch/solve/program/units.h"
#include "rematch/solve/strategy.h"

namespace rematch {

// What a solver says about an optimum is off by its tolerances: rows within
// 1e-6, prices within 1e-7, and what is better by less than 1e-6 it leaves out.
// Its bounds are lowered by this share of themselves and of the dearest op
// before anything is concluded from them
// (docs/decisions/0012-bounds-of-integer-programs.md).
inline constexpr double kSolverMargin = 1e-5;

class ProgramIncumbent {
 public:
  ProgramIncumbent(const Problem& problem, const Request& request)
      : problem_(problem), request_(request) {}

  // Offers what is there before any search: the plan that keeps everything, and
  // the request's start if it is valid. The base cost is the first bound.
  void offer_first_plans();

  // Takes a valid plan if replay finds it within the budget and cheaper.
  // Returns its cost, infinite if it is over the budget.
  Cost offer(Plan plan);

  // Raises the bound to base cost + extra, which is proved as it stands.
  void raise_proved(Cost extra);
  // The bound that raise_proved() would make of it.
  Cost proved(Cost extra) const;
  // The same for what a solver says, in scaled units: lowered by the margin.
  void raise_from_solver(const ProgramUnits& units, double scaled_extra);
  // What raise_from_solver() would make of it.
  Cost bound_from_solver(const ProgramUnits& units, double scaled_extra) const;

  bool has_plan() const { return plan_.has_value(); }
  const Plan& plan() const { return *plan_; }
  Cost cost() const { return cost_; }  // Infinite without a plan.
  Cost lower_bound() const { return bound_; }
  // A plan that no other beats, or one that is close enough for the caller, or
  // the caller's question decided without one.
  bool is_proved() const { return has_plan() && cost_ <= bound_; }
  bool is_close_enough() const {
    if (request_.is_decided(cost_, bound_)) return true;
    return has_plan() && cost_ <= bound_ * (1 + request_.limits.gap);
  }

  void report() const;
  // Where a limit came before a plan, it is one of the gap program.
  Proposal take(StopReason reason);

 private:
  void take_plan_of_gaps(StopReason reason);

  const Problem& problem_;
  const Request& request_;
  std::optional<Plan> plan_;
  Cost cost_ = std::numeric_limits<Cost>::infinity();
  Cost bound_ = 0;
};

}  // namespace rematch
