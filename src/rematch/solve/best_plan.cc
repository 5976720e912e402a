// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/best_plan.h"

#include <utility>

#include "rematch/base/check.h"
#include "rematch/plan/replay.h"

namespace rematch {

bool BestPlan::offer(Plan plan, std::string_view finder) {
  const auto measured = replay(problem_.graph, plan, problem_.order);
  REMATCH_CHECK(measured.ok(), "a search finds valid plans only");
  const bool fits_now = measured->peak <= problem_.budget;
  const bool better = !plan_ || (fits_now != fits() ? fits_now
                                 : fits_now         ? measured->cost < cost_
                                                    : measured->peak < peak_);
  if (!better) return false;
  plan_ = std::move(plan);
  cost_ = measured->cost;
  peak_ = measured->peak;
  finder_ = finder;
  return true;
}

}  // namespace rematch
