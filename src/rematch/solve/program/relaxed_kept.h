// SPDX-License-Identifier: Apache-2.0
// The relaxation of the telescoped program, and plans within the budget from
// what it keeps.
#pragma once

#include <optional>
#include <vector>

#include "rematch/base/limits.h"
#include "rematch/lp/lp_session.h"
#include "rematch/plan/plan.h"
#include "rematch/solve/program/solve_clock.h"
#include "rematch/solve/program/telescoped_program.h"

namespace rematch {

// Solves the relaxation, adding the rows of reruns that do not fit, until none
// is left, a limit is hit or it is infeasible.
LpSolution relax_with_rerun_rows(LpSession& session, TelescopedProgram& program,
                                 SolveClock& clock);

// A proved lower bound on the model's optimum from the prices of a relaxation:
// dual_bound() without the prices of the wrong sign, of about 1e-9, that
// solvers leave on rows with one bound. Rows that came after have no price.
double proved_bound(const LinearModel& model,
                    const std::vector<double>& row_prices);

// What each column costs at these prices: cost - sum(price * coefficient).
std::vector<double> reduced_costs(const LinearModel& model,
                                  const std::vector<double>& row_prices);

// The plan that keeps what the sets say, with the closed-form reruns. Where it
// is over the budget, tensors are no longer kept over the peak, the cheapest to
// bring back for their bytes first; then needless reruns are taken out. None if
// that does not lead to a plan within the budget, or the clock says stop. Each
// step of a plan that is made or replayed is a unit of work.
std::optional<Plan> plan_within(const Problem& problem, const KeptSets& kept,
                                SolveClock& clock);

}  // namespace rematch
