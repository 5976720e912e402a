// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/solve_clock.h"

#include <algorithm>

namespace rematch {

double SolveClock::seconds_left() const {
  const std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - start_;
  return std::max(0.0, limits_.seconds - spent.count());
}

Limits SolveClock::limits_left() const {
  Limits limits = limits_;
  limits.seconds = seconds_left();
  limits.work = std::max<std::int64_t>(0, limits_.work - work_);
  return limits;
}

LpLimits SolveClock::left() const {
  const Limits here = limits_left();
  LpLimits limits = lp_limits(here);
  limits.relative_gap = 0;
  limits.threads = 1;
  limits.iterations = std::min(limits.iterations, here.work);
  limits.nodes = std::min(limits.nodes, here.work / kWorkPerNode);
  return limits;
}

std::optional<StopReason> SolveClock::stop() const {
  if (limits_.interrupt != nullptr && limits_.interrupt->load()) {
    return StopReason::kInterrupted;
  }
  if (!(seconds_left() > 0)) return StopReason::kTimeLimit;
  if (work_ >= limits_.work) return StopReason::kWorkLimit;
  return std::nullopt;
}

std::optional<StopReason> stop_reason_of(LpStatus status) {
  switch (status) {
    case LpStatus::kTimeLimit:
      return StopReason::kTimeLimit;
    case LpStatus::kInterrupted:
      return StopReason::kInterrupted;
    case LpStatus::kIterationLimit:
    case LpStatus::kNodeLimit:
      return StopReason::kWorkLimit;
    default:
      return std::nullopt;
  }
}

}  // namespace rematch
