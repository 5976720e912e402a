// SPDX-License-Identifier: Apache-2.0
// The limits of a search as those of the solves that it is made of.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "rematch/base/limits.h"
#include "rematch/lp/lp_solver.h"
#include "rematch/plan/solution.h"

namespace rematch {

// Starts when it is made. A unit of work is a step of a relaxation, or of a
// search between two solves; a node of a search over integers is a hundred,
// besides its steps.
class SolveClock {
 public:
  explicit SolveClock(const Limits& limits) : limits_(limits) {}

  // What is left, on one thread, so that the answer does not depend on how many
  // there are. An interrupt does not reach into a relaxation; seconds do.
  LpLimits left() const;
  void spend(const LpSolution& solution) {
    work_ += solution.iterations + kWorkPerNode * solution.nodes;
  }
  // Counts work between solves; true if the search must stop. Reads the clock
  // each time, so a unit should take a microsecond at least.
  bool spend(std::int64_t work) {
    work_ += work;
    return stop().has_value();
  }

  double seconds_left() const;
  std::int64_t work() const { return work_; }
  // Why the search must stop; none while it may go on.
  std::optional<StopReason> stop() const;
  // The limits of what else is to be done.
  Limits limits_left() const;

 private:
  static constexpr std::int64_t kWorkPerNode = 100;

  Limits limits_;
  std::int64_t work_ = 0;
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

// The limit that ended a solve; none if it came to its end, or failed.
std::optional<StopReason> stop_reason_of(LpStatus status);

}  // namespace rematch
