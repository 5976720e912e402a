// SPDX-License-Identifier: Apache-2.0
// Branch and bound whose bounds come from prices: slower than a solver of
// integer programs, but what it proves is exact.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "rematch/lp/lp_session.h"
#include "rematch/solve/program/solve_clock.h"

namespace rematch {

struct ExactTreeHooks {
  // No point with an objective of at least this is of interest.
  double target = kInfinity;
  // Whether a proved lower bound on the objective is as high as wanted.
  std::function<bool(double bound)> is_enough;
  // Called with a point whose integer columns are integers and whose bound is
  // not enough. True if rows were added to the model that the point breaks. If
  // not, is_enough() is asked once more: the point may be as good as wanted.
  std::function<bool(std::span<const double> point)> cut_off;
  // The same for points that have fractions; none: no such rows are known.
  std::function<bool(std::span<const double> point)> tighten = nullptr;
};

struct ExactTreeAnswer {
  // No point of the session's model, within its bounds, has an objective below
  // what is enough: every leaf of the tree has a bound from prices that is
  // enough, or no solution.
  bool is_proved = false;
  // The limit that ended it. None also if it ended after `most_nodes` nodes, or
  // at a point that could not be cut off.
  std::optional<StopReason> stop;
};

// Bounds of columns are as before afterwards.
ExactTreeAnswer prove_by_branching(LpSession& session, SolveClock& clock,
                                   const ExactTreeHooks& hooks,
                                   std::size_t most_nodes);

}  // namespace rematch
