// SPDX-License-Identifier: Apache-2.0
// The anytime search: simulated annealing over sequences of ops with repeats.
#pragma once

#include <cstdint>
#include <optional>

#include "rematch/plan/plan.h"
#include "rematch/plan/problem.h"
#include "rematch/solve/request.h"

namespace rematch {

struct AnnealResult {
  // The cheapest plan found that fits, else the one with the least peak. Never
  // worse than the start. None only if the start was stopped before it began.
  std::optional<Plan> plan;
  Bytes peak = 0;            // Of the plan, by replay.
  Cost cost = 0;             // Of the plan, by replay.
  std::optional<Stop> stop;  // None: it stopped by itself.
  std::int64_t moves = 0;    // Tried, by all chains.
};

// Searches from request.start, or from keeping everything, until a limit is
// hit, nothing cheaper exists, or it has found nothing better for long. A unit
// of work is a move. The same seed, work limit and number of threads give the
// same plan, unless time runs out, it is interrupted, or other_plan interferes.
AnnealResult anneal(const Problem& problem, const Request& request);

}  // namespace rematch
