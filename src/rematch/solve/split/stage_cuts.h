// SPDX-License-Identifier: Apache-2.0
// Rows for a stage whose reruns do not fit between two first computations.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "rematch/solve/split/split_program.h"

namespace rematch {

// If all of `dead` are dead at the first computation of op stage - 1 and all of
// `wanted` are live at that of op `stage`, then the reruns between cost at
// least `cost`; infinite if that is more than any plan of interest spends.
struct StageCut {
  std::int32_t stage = 0;
  std::vector<LifeId> dead;
  std::vector<LifeId> wanted;
  Cost cost = 0;

  friend bool operator==(const StageCut&, const StageCut&) = default;
};

// What a point of the program that has whole numbers says about a detailed
// stage, if the reruns that it pays for there are not enough; with as few
// storages in it as that takes. `limit` is the most that a plan of interest
// spends on reruns.
std::optional<StageCut> stage_cut(const Problem& problem,
                                  const SplitProgram& program,
                                  std::span<const double> columns,
                                  std::int32_t stage, Cost limit);

// Adds the row of the cut. Where reruns are paid for that the program does not
// count one by one, the rest goes to the column `extra` of the stage.
void add_stage_row(const Graph& graph, const SplitProgram& program,
                   const StageCut& cut, std::map<std::int32_t, ColumnId>& extra,
                   LinearModel& model);

}  // namespace rematch
