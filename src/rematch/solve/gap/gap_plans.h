// SPDX-License-Identifier: Apache-2.0
// Plans and bounds from the gap program, as good as it gets in milliseconds.
#pragma once

#include <functional>

#include "rematch/base/limits.h"
#include "rematch/solve/best_plan.h"
#include "rematch/solve/gap/gap_bound.h"
#include "rematch/solve/request.h"

namespace rematch {

// What the gap program says about a problem with a fixed order.
struct GapAnswer {
  // On the cost of any plan, with the integer program; infinite if that proves
  // that there is none.
  Cost lower_bound = 0;
  Cost plain_bound = 0;  // See GapBound.
  // Stages that the relaxation needed, ascending.
  std::vector<std::int32_t> stages;

  bool is_infeasible() const {
    return lower_bound == std::numeric_limits<Cost>::infinity();
  }
};

// How far to go.
enum class GapEffort {
  kAll,
  // The integer program is given up early where it leads nowhere: what comes
  // after it proves more.
  kAsLongAsItHelps,
};

// Solves the relaxation, realises it within the budget, again with costs as the
// plan pays them, with identical blocks treated alike (shared_blocks.h), and
// within a little less memory, then searches the integer
// program as far as the size of the graph allows; offers every plan to
// `incumbent`. `problem` has a fixed order and a budget of at least the floor.
// `on_progress` is told of the bound and of better plans as they come.
GapAnswer solve_gaps(
    const Problem& problem, BestPlan& incumbent, Meter& meter,
    GapEffort effort = GapEffort::kAll,
    const std::function<void(const SearchProgress&)>& on_progress = nullptr);

}  // namespace rematch
