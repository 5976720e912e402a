// SPDX-License-Identifier: Apache-2.0
// Rows that tie reruns together along paths: what is dead at a moment and has
// to come back needs all of its dead ancestors to come back, too.
#pragma once

#include <span>
#include <vector>

#include "rematch/solve/split/split_program.h"

namespace rematch {

// A row sum >= 1 that a point breaks.
struct PathCut {
  LinearSum sum;
  double violation = 0;
  // The last storage of the path, and the stage by which it has to be back: the
  // cut is stronger if that is a point of it.
  LifeId source;
  std::int32_t deadline = 0;
};

// For each of the moments and each storage, or rerun, the path cut that the
// point breaks most, if it does so by `least` or more. The moments are global
// points of the program.
std::vector<PathCut> path_cuts(const SplitProgram& program,
                               std::span<const std::int32_t> moments,
                               std::span<const double> columns, double least);

}  // namespace rematch
