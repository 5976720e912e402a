// SPDX-License-Identifier: Apache-2.0
#include "rematch/report/curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "rematch/base/check.h"
#include "rematch/plan/budget.h"
#include "rematch/plan/floor.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/least_peak.h"
#include "rematch/solve/solve.h"

namespace rematch {
namespace {

constexpr std::size_t kManyOps = 2500;
// Of the search for the least peak: a fraction of a second.
constexpr std::int64_t kWork = 100'000;
constexpr int kBudgets = 12;      // Of the gap program.
constexpr int kFewBudgets = 5;    // For graphs of many ops.
constexpr std::size_t kMost = 4;  // Budgets at which strategies are asked.

// Fast at any size, and fast for a few thousand ops.
constexpr std::array<std::string_view, 4> kFast = {
    "chen_sqrt", "chen_sqrt_linear", "dtr", "gap"};
constexpr std::array<std::string_view, 4> kSlower = {
    "chen_greedy", "chen_greedy_linear", "revolve", "chain_dp"};

const Strategy& known(std::string_view name) {
  const Strategy* strategy = find_strategy(name);
  REMATCH_CHECK(strategy != nullptr, "the strategy exists");
  return *strategy;
}

// Asks strategies at budgets and notes what they say.
class QuickLook {
 public:
  QuickLook(const Graph& graph, OrderRule order, Curve& curve)
      : graph_(graph), order_(order), curve_(curve) {}

  void ask(std::string_view strategy, Bytes budget) {
    note(solve({.graph = graph_, .budget = budget, .order = order_},
               known(strategy), Request()));
  }

  void ask_for_least(std::string_view strategy) {
    Limits limits;
    limits.work = kWork;
    note(solve_least_peak(graph_, order_, known(strategy), limits));
  }

 private:
  void note(const Solution& solution) {
    if (solution.has_plan() || solution.outcome == Outcome::kInfeasible) {
      curve_.points.push_back(point_of(solution));
    }
  }

  const Graph& graph_;
  OrderRule order_;
  Curve& curve_;
};

std::vector<Bytes> sorted_once(std::vector<Bytes> budgets) {
  std::sort(budgets.begin(), budgets.end());
  budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
  return budgets;
}

}  // namespace

std::optional<Bytes> Curve::least_peak() const {
  std::optional<Bytes> least;
  for (const CurvePoint& point : points) {
    if (point.peak && (!least || *point.peak < *least)) least = point.peak;
  }
  return least;
}

CurvePoint point_of(const Solution& solution) {
  CurvePoint point{.strategy = solution.strategy,
                   .outcome = solution.outcome,
                   .budget = solution.budget,
                   .peak = std::nullopt,
                   .cost = std::nullopt,
                   .lower_bound = std::nullopt};
  if (solution.has_plan()) {
    point.peak = solution.peak;
    point.cost = solution.cost;
  }
  if (solution.outcome != Outcome::kInfeasible &&
      std::isfinite(solution.lower_bound)) {
    point.lower_bound = solution.lower_bound;
  }
  return point;
}

Curve whole_curve(const Graph& graph, const Frontier& frontier) {
  Curve curve{.keep_all_peak = keep_all_peak(graph),
              .peak_floor = 0,
              .order = OrderRule::kFixed,
              .whole = true,
              .points = {}};
  for (const Solution& solution : frontier.points) {
    curve.order = solution.order;
    curve.peak_floor = std::max(curve.peak_floor, solution.peak_floor);
    curve.points.push_back(point_of(solution));
  }
  return curve;
}

Curve quick_curve(const Graph& graph, OrderRule order,
                  const std::vector<Bytes>& budgets) {
  Curve curve{.keep_all_peak = keep_all_peak(graph),
              .peak_floor = peak_floor(graph, order).bytes,
              .order = order,
              .whole = false,
              .points = {}};
  const bool many = graph.num_ops() > kManyOps;
  QuickLook look(graph, order, curve);
  look.ask("keep_all", curve.keep_all_peak);
  if (!many) look.ask_for_least("gap");
  for (Bytes budget :
       evenly_spaced(std::min(curve.peak_floor, curve.keep_all_peak),
                     curve.keep_all_peak, many ? kFewBudgets : kBudgets)) {
    look.ask("gap", budget);
  }
  std::vector<Bytes> asked = sorted_once(budgets);
  if (asked.size() > kMost) asked.resize(kMost);
  for (Bytes budget : asked) {
    for (std::string_view strategy : kFast) look.ask(strategy, budget);
    if (many) continue;
    for (std::string_view strategy : kSlower) look.ask(strategy, budget);
  }
  return curve;
}

}  // namespace rematch
