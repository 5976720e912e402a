// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/refined_prices.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rematch/solve/program/relaxed_kept.h"

namespace rematch {
namespace {

constexpr int kMostRounds = 4;  // Each adds about seven digits.
// What costs so many times the room is not bought to save what is left.
constexpr double kFar = 1e4;

// Other costs for a while. Refers to the model.
class OtherCosts {
 public:
  OtherCosts(LinearModel& model, const std::vector<double>& costs)
      : model_(model),
        before_(model.costs().begin(), model.costs().end()),
        offset_(model.offset()) {
    set(costs, 0);
  }
  ~OtherCosts() { set(before_, offset_); }
  OtherCosts(const OtherCosts&) = delete;
  OtherCosts& operator=(const OtherCosts&) = delete;

 private:
  void set(const std::vector<double>& costs, double offset) {
    for (ColumnId column : model_.columns()) {
      model_.set_cost(column, costs[column.index()]);
    }
    model_.set_offset(offset);
  }

  LinearModel& model_;
  std::vector<double> before_;
  double offset_;
};

// Whether the column stays at the end that its price draws it to.
bool is_at_its_end(const LinearModel& model, std::size_t column, double price,
                   double value) {
  const double lower = model.lowers()[column];
  const double upper = model.uppers()[column];
  if (!std::isfinite(price > 0 ? lower : upper)) return false;
  if (!std::isfinite(lower) || !std::isfinite(upper)) return true;
  return price > 0 ? value <= (lower + upper) / 2
                   : value >= (lower + upper) / 2;
}

// By how much to magnify: the room that is left, or the largest error.
double unit_of(const LinearModel& model, const std::vector<double>& prices,
               const std::vector<double>& point, double room) {
  double unit = room;
  for (std::size_t i = 0; i < prices.size(); ++i) {
    if (model.lowers()[i] == model.uppers()[i]) continue;
    if (is_at_its_end(model, i, prices[i], point[i])) continue;
    unit = std::max(unit, std::fabs(prices[i]));
  }
  return unit;
}

// What costs far more than the room costs far more still if it is cut down.
double cut_down(double price, double unit) {
  return std::clamp(price, -kFar * unit, kFar * unit);
}

// What is left of the costs if rows have the prices that are kept, in units.
// `prices` are of columns, with all prices of rows.
std::vector<double> magnified(const LinearModel& model,
                              const std::vector<double>& kept,
                              const std::vector<double>& prices,
                              const std::vector<double>& point, double unit) {
  auto costs = reduced_costs(model, kept);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (is_at_its_end(model, i, prices[i], point[i])) {
      costs[i] -= prices[i] - cut_down(prices[i], unit);
    }
    costs[i] = model.lowers()[i] == model.uppers()[i] ? 0 : costs[i] / unit;
  }
  return costs;
}

}  // namespace

LpSolution with_refined_prices(LpSession& session, SolveClock& clock,
                               LpSolution relaxed, double target) {
  LinearModel& model = session.model();
  double bound = proved_bound(model, relaxed.row_duals);
  for (int round = 0; round < kMostRounds && bound < target; ++round) {
    const auto prices = reduced_costs(model, relaxed.row_duals);
    const double unit = unit_of(model, prices, relaxed.columns, target - bound);
    // A row that is not tight costs its price, so that is left to the solver,
    // as far as it matters.
    std::vector<double> kept = relaxed.row_duals;
    for (double& price : kept) price -= cut_down(price, unit);
    LpSolution rest;
    {
      const OtherCosts costs(
          model, magnified(model, kept, prices, relaxed.columns, unit));
      rest = session.solve_relaxation(clock.left());
    }
    clock.spend(rest);
    if (rest.status != LpStatus::kOptimal || !rest.has_point) break;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      rest.row_duals[i] = kept[i] + unit * rest.row_duals[i];
    }
    const double better = proved_bound(model, rest.row_duals);
    if (!(better > bound)) break;
    bound = better;
    relaxed.row_duals = std::move(rest.row_duals);
    relaxed.columns = std::move(rest.columns);
  }
  return relaxed;
}

}  // namespace rematch
