// SPDX-License-Identifier: Apache-2.0
#include "support/linear_models.h"

#include <algorithm>
#include <vector>

namespace rematch {

LinearModel random_model(Random& random, bool integer) {
  LinearModel model;
  const FamilyId x = model.family("x");
  const auto columns = random.between(1, 6);
  for (int i = 0; i < columns; ++i) {
    const auto lower = static_cast<double>(random.between(-3, 1));
    const auto upper = lower + static_cast<double>(random.between(0, 3));
    const auto cost = static_cast<double>(random.between(-5, 5));
    model.add_column(x, {lower, upper, cost, integer});
  }
  model.set_offset(static_cast<double>(random.between(-2, 2)));
  const auto rows = random.between(0, 5);
  for (int i = 0; i < rows; ++i) add_random_row(random, model);
  return model;
}

void add_random_row(Random& random, LinearModel& model) {
  std::vector<LinearTerm> terms;
  for (const ColumnId column : model.columns()) {
    if (random.below(3) == 0) continue;
    terms.push_back({column, static_cast<double>(random.between(-4, 4))});
  }
  const FamilyId row = model.family("row");
  const auto lower = static_cast<double>(random.between(-6, 3));
  const auto upper = lower + static_cast<double>(random.between(0, 6));
  switch (random.below(5)) {
    case 0:
      model.add_row(row, lower, kInfinity, terms);
      break;
    case 1:
      model.add_row(row, -kInfinity, upper, terms);
      break;
    case 2:
      model.add_row(row, lower, lower, terms);
      break;
    case 3:
      model.add_row(row, lower, upper, terms);
      break;
    default:
      model.add_row(row, -kInfinity, kInfinity, terms);
      break;
  }
}

std::optional<double> best_by_enumeration(const LinearModel& model) {
  std::vector<double> point(model.lowers().begin(), model.lowers().end());
  std::optional<double> best;
  while (true) {
    if (violation_at(model, point) == 0) {
      const double objective = objective_at(model, point);
      best = std::min(best.value_or(objective), objective);
    }
    std::size_t i = 0;
    while (i < point.size() && point[i] == model.uppers()[i]) {
      point[i] = model.lowers()[i];
      ++i;
    }
    if (i == point.size()) return best;
    point[i] += 1;
  }
}

LinearModel hard_knapsack(int columns, int rows) {
  LinearModel model;
  const FamilyId take = model.family("take");
  for (int i = 0; i < columns; ++i) {
    model.add_column(take, {0, 1, -(17.0 + (i * 37) % 29), true});
  }
  const FamilyId capacity = model.family("capacity");
  for (int k = 0; k < rows; ++k) {
    std::vector<LinearTerm> terms;
    for (const ColumnId column : model.columns()) {
      terms.push_back({column, 11.0 + (column.value * (k + 3) * 13) % 31});
    }
    model.add_row(capacity, -kInfinity, 5.0 * columns, terms);
  }
  return model;
}

}  // namespace rematch
