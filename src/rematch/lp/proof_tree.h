// SPDX-License-Identifier: Apache-2.0
// A bound on a search over integers that rests on no solver's word.
#pragma once

#include "rematch/lp/lp_session.h"

namespace rematch {

// Branches until every leaf of the tree is proved to be at `target` or above by
// dual_bound(), or has no feasible point. Returns the least bound of the
// leaves: what no feasible point with whole numbers goes below. -infinity if a
// limit, or a point below the target, came first.
//
// Slower than solve_integers(), which cuts and learns, but exact: for small
// programs where more digits are needed than a solver's tolerance leaves. At
// most limits.nodes nodes. Leaves the bounds of all columns as they were.
double proved_minimum(LpSession& session, double target,
                      const LpLimits& limits);

}  // namespace rematch
