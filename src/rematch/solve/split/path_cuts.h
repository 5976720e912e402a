// SPDX-License-Identifier: Apache-2.0
// Rows that tie reruns together along paths: what is dead at a moment and has
// to come back needs all of its dead ancestors to come back, too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rematch/solve/split/split_program.h"

namespace rematch {

// Lives that have to come back, each because the one before it has to: the
// first one because it is touched after the moment, or, if there is a rerun
// that begins at the moment, because that reads it.
struct Path {
  std::int32_t moment = 0;  // A global point of the program.
  std::optional<OpId> rerun;
  std::vector<LifeId> lives;

  friend bool operator==(const Path&, const Path&) = default;
};

// At least 1 at every plan of interest: the lives of the path at its moment,
// and the runs of its last one by the time that it is due. Holds in any program
// that has the moment; none if the path says nothing there.
std::optional<LinearSum> path_sum(const SplitProgram& program,
                                  const Path& path);

// A row sum >= 1 that a point breaks.
struct PathCut {
  LinearSum sum;
  double violation = 0;
  Path path;
};

// A stage that is not a point of the life. If it were, a path cut that ends
// with the life would be broken: all that keeps it is a piece of a run that
// begins in time and ends later.
struct PathSplit {
  LifeId life;
  std::int32_t stage = 0;
  double violation = 0;
};

// For each of the moments and each storage, or rerun, the path cut that the
// point breaks most, if it does so by `least` or more. The moments are global
// points of the program.
std::vector<PathCut> path_cuts(const SplitProgram& program,
                               std::span<const std::int32_t> moments,
                               std::span<const double> columns, double least);

// The same for splits, as far as they are found quickly. Worth asking for once
// there are no cuts.
std::vector<PathSplit> path_splits(const SplitProgram& program,
                                   std::span<const std::int32_t> moments,
                                   std::span<const double> columns,
                                   double least);

}  // namespace rematch
