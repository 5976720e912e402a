// SPDX-License-Identifier: Apache-2.0
// From a solution of the gap program to a plan.
#pragma once

#include <optional>
#include <vector>

#include "rematch/base/limits.h"
#include "rematch/plan/plan.h"
#include "rematch/solve/gap/gap_program.h"

namespace rematch {

// Evicts every gap of which the relaxation evicts a part, and what the same
// reruns bring back anyway; then takes back, one rerun at a time, most
// expensive first, what is not needed for any stage to fit. By gap.
std::vector<bool> rounded_evictions(const GapProgram& program,
                                    const std::vector<double>& evicted);

// The plan that keeps every storage through its gaps but for the evicted ones,
// which are recomputed just before their next touch, together with what that
// needs; what was recomputed is held until it is read next where it fits. Each
// first computation fits if the evictions cover the program; recomputations may
// not. None if the meter says stop, or if the plan would run ops more than 20
// times as often as the graph has them.
std::optional<Plan> realise(const Graph& graph, const GapProgram& program,
                            const std::vector<bool>& evicted, Meter& meter);

// Takes recomputations out of a plan, most expensive first, while its peak
// stays within the budget: the tensor is then held instead. A unit of work is a
// recomputation; stops early when the meter says so.
Plan without_needless_runs(const Graph& graph, Bytes budget, Plan plan,
                           Meter& meter);

}  // namespace rematch
