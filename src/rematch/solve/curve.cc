// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/curve.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include "rematch/base/check.h"
#include "rematch/plan/floor.h"

namespace rematch {
namespace {

// Sums of the same costs in another order differ by less than this share.
constexpr double kRounding = 1e-9;

bool is_open(const Solution& point) {
  return point.outcome == Outcome::kFeasible ||
         point.outcome == Outcome::kUnknown;
}

// Brings the outcome in line with plan and bound.
void judge(Cost proved, Solution& point) {
  point.lower_bound = proved;
  if (!point.has_plan()) return;
  REMATCH_CHECK(proved <= point.cost * (1 + kRounding),
                "a proved lower bound is not above the cost of a plan");
  point.lower_bound = std::min(proved, point.cost);
  point.outcome = Outcome::kFeasible;
  if (point.lower_bound < point.cost) return;
  point.outcome = Outcome::kOptimal;
  point.stop_reason = StopReason::kProved;
}

}  // namespace

std::string finder(const Solution& solution) {
  constexpr std::string_view kPrefix = "found by ";
  const std::string& message = solution.message;
  if (!message.starts_with(kPrefix)) return solution.strategy;
  const std::size_t end = message.find_first_of(";, ", kPrefix.size());
  return message.substr(kPrefix.size(), end - kPrefix.size());
}

Curve::Curve(const Graph& graph, OrderRule order,
             const std::vector<Bytes>& budgets, std::uint64_t seed) {
  Solution point;
  point.order = order;
  point.seed = seed;
  point.fixed_bytes = graph.fixed_bytes();
  point.peak_floor = peak_floor(graph, order).bytes;
  point.base_cost = graph.base_cost();
  point.lower_bound = point.base_cost;
  for (Bytes budget : budgets) {
    REMATCH_CHECK(points_.empty() || points_.back().budget < budget,
                  "budgets ascend");
    point.budget = budget;
    points_.push_back(point);
  }
  proved_.resize(points_.size(), point.base_cost);
  found_at_.resize(points_.size());
  infeasible_below_ = point.peak_floor;
  settle();
}

void Curve::learn(const Solution& found) {
  if (found.has_plan()) offer(found);
  if (found.outcome == Outcome::kInfeasible) {
    infeasible_below_ = std::max(infeasible_below_, found.budget + 1);
  }
  for (std::size_t i = 0; i < points_.size(); ++i) {
    Solution& point = points_[i];
    if (point.budget <= found.budget && std::isfinite(found.lower_bound)) {
      proved_[i] = std::max(proved_[i], found.lower_bound);
    }
    if (point.budget != found.budget || !is_open(point)) continue;
    point.stop_reason = found.stop_reason;
    point.message = found.message;
  }
  settle();
}

void Curve::raise_bound(std::size_t point, Cost bound) {
  if (!std::isfinite(bound)) return;
  for (std::size_t i = 0; i <= point; ++i) {
    proved_[i] = std::max(proved_[i], bound);
  }
  settle();
}

// The cheapest; of those, the one with the least peak; of those, the one that
// was asked for within the least budget.
void Curve::offer(const Solution& found) {
  least_peak_ = std::min(least_peak_.value_or(found.peak), found.peak);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    Solution& point = points_[i];
    if (point.budget < found.peak) continue;
    if (point.has_plan() &&
        std::tie(point.cost, point.peak, found_at_[i]) <=
            std::tie(found.cost, found.peak, found.budget)) {
      continue;
    }
    found_at_[i] = found.budget;
    point.strategy = finder(found);
    point.plan = found.plan;
    point.peak = found.peak;
    point.cost = found.cost;
  }
}

void Curve::settle() {
  REMATCH_CHECK(least_peak_.value_or(kMaxBytes) >= infeasible_below_,
                "no plan fits where it is proved that none does");
  for (std::size_t i = 0; i < points_.size(); ++i) {
    Solution& point = points_[i];
    if (point.budget < infeasible_below_) {
      point.outcome = Outcome::kInfeasible;
      point.stop_reason = StopReason::kProved;
    }
    judge(proved_[i], point);
    if (point.outcome != Outcome::kUnknown) point.message.clear();
  }
}

bool Curve::is_closed(std::size_t point, double gap) const {
  const Solution& solution = points_[point];
  if (!is_open(solution)) return true;
  return solution.has_plan() &&
         solution.cost <= solution.lower_bound * (1 + std::max(gap, kRounding));
}

const Plan* Curve::start_for(std::size_t point) const {
  for (std::size_t i = point; i < points_.size(); ++i) {
    if (points_[i].has_plan()) return &*points_[i].plan;
  }
  return nullptr;
}

}  // namespace rematch
