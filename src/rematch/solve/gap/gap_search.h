// SPDX-License-Identifier: Apache-2.0
// The integer gap program by branch and bound: each gap is evicted or not.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "rematch/solve/gap/gap_bound.h"

namespace rematch {

// Called with evictions worth realising, by gap; returns the cost of the best
// plan known so far, infinite if there is none.
using OnEvictions = std::function<Cost(const std::vector<double>& evicted)>;

// How many nodes are solved.
struct GapSearchSize {
  int most_nodes = 0;
  // After so many it goes on only if the bound has come a tenth of the way from
  // the root to the best plan, or there is no plan yet.
  int patience = std::numeric_limits<int>::max();
};

// Starts from the relaxation and branches on gaps that it evicts in part, best
// bound first. Every bound comes from multipliers, as in gap_bound(), so the
// result is proved whatever the solver's rounding did.
//
// Returns a lower bound on the cost of any plan in the fixed order: the program
// is solved when a plan meets it or the best node is integral; stopped by the
// meter or at its size it is the best bound so far.
Cost search_gaps(const Problem& problem, const GapProgram& program,
                 const GapBound& root, GapSearchSize size, Meter& meter,
                 const OnEvictions& on_evictions);

}  // namespace rematch
