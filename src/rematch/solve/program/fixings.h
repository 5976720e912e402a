// SPDX-License-Identifier: Apache-2.0
// Columns of a model that are fixed for a while.
#pragma once

#include <utility>
#include <vector>

#include "rematch/lp/linear_model.h"

namespace rematch {

// Columns get their bounds back when it goes. Refers to the model.
class Fixings {
 public:
  explicit Fixings(LinearModel& model) : model_(model) {}
  ~Fixings() {
    for (; !before_.empty(); before_.pop_back()) {
      const auto& [column, old] = before_.back();
      model_.set_bounds(column, old.lower, old.upper);
    }
  }
  Fixings(const Fixings&) = delete;
  Fixings& operator=(const Fixings&) = delete;

  void fix(ColumnId column, double value) {
    before_.emplace_back(column, model_.column(column));
    model_.set_bounds(column, value, value);
  }

  // Fixes the columns between 0 and 1 whose price alone is above the limit: the
  // other end costs more than that beyond the bound that the prices prove.
  void fix_by_price(const std::vector<double>& prices, double limit) {
    for (std::size_t i = 0; i < prices.size(); ++i) {
      if (model_.lowers()[i] != 0 || model_.uppers()[i] != 1) continue;
      if (prices[i] > limit) fix(ColumnId(i), 0);
      if (-prices[i] > limit) fix(ColumnId(i), 1);
    }
  }

 private:
  LinearModel& model_;
  std::vector<std::pair<ColumnId, LinearColumn>> before_;
};

}  // namespace rematch
