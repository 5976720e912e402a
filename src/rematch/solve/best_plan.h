// SPDX-License-Identifier: Apache-2.0
// The best plan that a search has found so far.
#pragma once

#include <limits>
#include <optional>
#include <string_view>

#include "rematch/plan/plan.h"
#include "rematch/plan/problem.h"

namespace rematch {

// The cheapest plan that fits, or, without one, the one with the least peak.
// Refers to the problem.
class BestPlan {
 public:
  explicit BestPlan(const Problem& problem) : problem_(problem) {}

  // Replays the plan and keeps it if it is better; true if so. `finder` is the
  // name of a strategy and outlives this. Throws InternalError if the plan is
  // not valid.
  bool offer(Plan plan, std::string_view finder = {});

  bool fits() const { return plan_ && peak_ <= problem_.budget; }
  // Of the best plan that fits; infinite if none does.
  Cost cost() const {
    return fits() ? cost_ : std::numeric_limits<Cost>::infinity();
  }
  // Only if there is a plan, which may not fit.
  bool has_plan() const { return plan_.has_value(); }
  const Plan& plan() const { return *plan_; }
  Bytes peak() const { return peak_; }
  std::string_view finder() const { return finder_; }

  // Gives it away, fitting or not.
  std::optional<Plan> take() { return std::move(plan_); }

 private:
  const Problem& problem_;
  std::optional<Plan> plan_;
  Cost cost_ = 0;
  Bytes peak_ = 0;
  std::string_view finder_;
};

}  // namespace rematch
