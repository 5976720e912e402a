// SPDX-License-Identifier: Apache-2.0
// What is asked of a strategy besides the problem: how long, and how.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string_view>

#include "rematch/base/cost.h"
#include "rematch/base/limits.h"
#include "rematch/base/result.h"
#include "rematch/plan/plan.h"
#include "rematch/plan/problem.h"

namespace rematch {

// The program that `milp` solves.
enum class Formulation {
  kSplit,       // The gap program, refined where needed.
  kPaper,       // Checkmate's, as published.
  kTelescoped,  // The same without big numbers.
};

// How `lp_rounding` turns a relaxation into a plan.
enum class Rounding {
  kSweep,      // At several thresholds.
  kThreshold,  // At one half.
  kRandom,     // By drawing, many times.
};

// Where a search stands.
struct SearchProgress {
  Cost cost = std::numeric_limits<Cost>::infinity();  // Of the best plan.
  Cost lower_bound = 0;                               // Proved.
  // The best plan, while the call lasts; null if it is not at hand.
  const Plan* plan = nullptr;
};

struct Request {
  // NOLINTNEXTLINE(google-explicit-constructor): limits alone are a request.
  Request(Limits within = {}) : limits(within) {}

  Limits limits;
  Formulation formulation = Formulation::kSplit;
  Rounding rounding = Rounding::kSweep;
  // A plan to begin with, valid but perhaps over the budget, or null.
  // Strategies that cannot use one ignore it.
  const Plan* start = nullptr;
  // Set: all that is asked is whether a plan costs at most this. A search may
  // stop once one does, or once its proved bound is above.
  std::optional<Cost> target;
  // Called now and then by searches that last: a plan that was found elsewhere,
  // valid but perhaps over the budget, or nothing. May be empty.
  std::function<std::optional<Plan>()> other_plan;
  // Called now and then, on the searching thread or a helper of it, one call at
  // a time; holds up the search meanwhile. May be empty.
  std::function<void(const SearchProgress&)> on_progress;

  // Whether a plan of this cost (infinite: none), or this proved bound, answers
  // the question of the target.
  bool is_decided(Cost cost, Cost lower_bound) const {
    return target && (cost <= *target || lower_bound > *target);
  }
};

// For requests from outside: fails with kInvalidArgument on limits that make no
// sense, and with kInvalidPlan on a start that replay refuses.
Status check_request(const Graph& graph, OrderRule order,
                     const Request& request);

// "split", "paper", "telescoped".
std::string_view formulation_name(Formulation formulation);
std::optional<Formulation> formulation_from_name(std::string_view name);
// "sweep", "threshold", "random".
std::string_view rounding_name(Rounding rounding);
std::optional<Rounding> rounding_from_name(std::string_view name);

}  // namespace rematch
