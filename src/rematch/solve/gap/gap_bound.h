// SPDX-License-Identifier: Apache-2.0
// A proved lower bound on the cost of any plan in the fixed order, from the
// relaxation of the gap program.
#pragma once

#include <vector>

#include "rematch/base/limits.h"
#include "rematch/solve/gap/gap_program.h"
#include "rematch/solve/gap/tails.h"

namespace rematch {

struct GapBound {
  Cost lower_bound = 0;  // On the cost of any plan; at least the base cost.
  // The same without tails and not rounded up: a plan that spends x on reruns
  // outside of all gaps of the storages that they restore costs at least this
  // plus x.
  Cost plain_bound = 0;
  // A solution of the relaxation: the share of each gap that is evicted.
  std::vector<double> evicted;
  // The stages that were needed, ascending, and the tails it was solved with.
  std::vector<std::int32_t> stages;
  Tails tails;
};

// Solves the relaxation on few rows, adding the stages that its solution does
// not cover, and computes the bound from the multipliers in exact arithmetic,
// so that it holds whatever the solver did. Where every cost is a multiple of
// one number, the bound is rounded up to such a multiple.
//
// `problem` has a fixed order and a budget of at least the floor. Each pass
// after the first moves the shares of the tails (see tails.h) and may raise the
// bound. Stopped by the meter, it gives the best bound so far.
GapBound gap_bound(const Problem& problem, const GapProgram& program,
                   Meter& meter, int passes = 6);

// The value of the multipliers: sum_t lambda_t need_t - sum_g max(0, bytes_g
// Lambda_g - price_g(Lambda_g)), where Lambda_g adds up the multipliers inside
// the gap. A lower bound on what any plan spends on reruns, for any lambda >=
// 0; rounded down.
Cost multiplier_value(const GapProgram& program, const GapPrices& prices,
                      const std::vector<double>& multipliers);

// The largest number of which every cost is a multiple, if costs are whole
// numbers that add up exactly; else 0.
Cost common_cost_unit(const Graph& graph);

// The least cost that a plan can have which costs at least `bound`: where every
// cost is a multiple of one number, so is the cost of every plan.
Cost least_cost_from(const Graph& graph, Cost bound);

}  // namespace rematch
