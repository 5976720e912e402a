// SPDX-License-Identifier: Apache-2.0
// A lower bound on the optimum that anyone can check, whatever solver made the
// prices.
#pragma once

#include <span>

#include "rematch/lp/linear_model.h"

namespace rematch {

// A value that no feasible point goes below, given a price for each row: price
// the rows, then let each column and each row take its best bound on its own.
// Holds for any finite prices, optimal or not, with integer columns or without;
// with the optimal duals of the relaxation it is the relaxation's optimum, up
// to rounding. The worst possible rounding is subtracted, so the result is
// proved as it stands.
//
// A row without a bound on the side that its price points to is left out. It is
// -infinity if the prices prove nothing, which takes a column without a bound
// on the side that its price points to: give columns finite bounds if the
// result matters. O(columns + terms).
double dual_bound(const LinearModel& model, std::span<const double> row_prices);

}  // namespace rematch
