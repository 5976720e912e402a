// SPDX-License-Identifier: Apache-2.0
// What `bound` and `export` ask of a program: which one, and within what.
#pragma once

#include <string>
#include <vector>

#include "rematch/base/result.h"
#include "rematch/cli/parser.h"
#include "rematch/plan/floor.h"
#include "rematch/solve/program/program_choice.h"

namespace rematch {

struct ProgramOptions {
  std::string budget;
  ProgramChoice choice;
};

// Adds --budget, --formulation with these values, and --stages.
void add_program_options(Command command, std::vector<std::string> formulations,
                         ProgramOptions& options);

// A budget in bytes and the floor, which is what `min` means here.
struct ProgramBudget {
  Bytes budget = 0;
  PeakFloor floor;

  bool is_below_floor() const { return budget < floor.bytes; }
};

// Fails as parse_budget() and resolve_budget() do.
Result<ProgramBudget> program_budget(const Graph& graph,
                                     const ProgramOptions& options);

}  // namespace rematch
