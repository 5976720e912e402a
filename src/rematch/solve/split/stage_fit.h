// SPDX-License-Identifier: Apache-2.0
// Rearranges the reruns inside of stages that do not fit.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "rematch/plan/plan.h"
#include "rematch/solve/split/reruns.h"
#include "rematch/solve/split/split_program.h"

namespace rematch {

// Where a plan in the fixed order is over the budget.
struct Overflow {
  std::vector<std::int32_t> first_runs;  // Stages whose own op is over it.
  std::vector<std::int32_t> reruns;      // Stages with a rerun that is.
};

// The stages, those that are most over the budget first.
Overflow overflow_of(const Problem& problem, const Plan& plan);

// The plan with the reruns of each stage in which one does not fit replaced by
// the cheapest that do, if that is possible. `plan` is in the fixed order.
Plan with_fitting_stages(const Problem& problem, const Lives& lives,
                         const Plan& plan);

// The plan with these reruns, but for those of the stage that is most over the
// budget: they come earlier, together with all between them and the reruns of a
// stage before, with what it takes to make that fit. The latest such stage at
// which the plan costs less than `limit`; none if there is none near. Reruns
// ascend by stage.
std::optional<Plan> with_reruns_together(const Problem& problem,
                                         const Lives& lives,
                                         std::span<const Rerun> reruns,
                                         Cost limit);

// The plan whose lives at every stage are those of a point with whole numbers,
// of a program for which every stage is a global moment; none if the reruns of
// a stage do not fit.
std::optional<Plan> plan_by_stages(const Problem& problem,
                                   const SplitProgram& program,
                                   std::span<const double> columns);

}  // namespace rematch
