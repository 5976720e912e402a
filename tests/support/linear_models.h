// SPDX-License-Identifier: Apache-2.0
// Random linear models, and their optima by enumeration.
#pragma once

#include <optional>

#include "rematch/base/random.h"
#include "rematch/lp/linear_model.h"

namespace rematch {

// 1 to 6 columns with integer bounds in [-3, 3] and 0 to 5 rows with small
// integer coefficients; about half of the models are feasible. Every kind of
// row and bound occurs, except that columns are bounded on both sides.
// `integer` columns, or continuous ones.
LinearModel random_model(Random& random, bool integer);

// A further row of the same kind.
void add_random_row(Random& random, LinearModel& model);

// The optimum over all integer points within the bounds; none if no point is
// feasible. Bounds must be integers.
std::optional<double> best_by_enumeration(const LinearModel& model);

// A knapsack with several rows that takes a search of some hundred nodes.
LinearModel hard_knapsack(int columns, int rows);

}  // namespace rematch
