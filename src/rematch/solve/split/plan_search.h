// SPDX-License-Identifier: Apache-2.0
// A search for better plans beside a proof, a little at a time.
#pragma once

#include <cstdint>

#include "rematch/base/limits.h"
#include "rematch/plan/problem.h"
#include "rematch/solve/anneal/search.h"
#include "rematch/solve/best_plan.h"

namespace rematch {

// One search that goes on where it was: what it has found so far is what it
// builds on. Refers to the problem.
class PlanSearch {
 public:
  // Begins with the incumbent, which has a plan, or with nothing where that
  // leads further. Of the limits, seconds, interrupt and seed count.
  PlanSearch(const Problem& problem, const Limits& limits,
             const BestPlan& incumbent);

  // Some moves, among them those of exact windows. True if the incumbent got
  // better; if it did so elsewhere, the search learns of it first.
  bool advance(BestPlan& incumbent);

  // It has found nothing better for long: since it was half as old.
  bool is_stale() const;
  // So long that it will hardly ever do so, or a limit was hit.
  bool is_over() const;

 private:
  const Problem& problem_;
  TouchTable table_;
  Search search_;
  Cost known_;  // Of the incumbent when it was last looked at.
};

}  // namespace rematch
