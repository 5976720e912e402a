// SPDX-License-Identifier: Apache-2.0
// The integer gap program as a linear model, for other solvers.
#pragma once

#include "rematch/lp/linear_model.h"
#include "rematch/solve/gap/gap_program.h"
#include "rematch/solve/program/program_size.h"
#include "rematch/solve/program/units.h"

namespace rematch {

// A gap is in the row of each stage that it spans: on large graphs there are
// many.
ProgramSize gap_model_size(const GapProgram& program);

// Columns "evicted" (x_g), rows "need", as in docs/formulation.md. Its optimum,
// divided by the scale of the costs, is a lower bound on the cost of any plan.
LinearModel gap_model(const Graph& graph, const GapProgram& program,
                      const ProgramUnits& units);

}  // namespace rematch
