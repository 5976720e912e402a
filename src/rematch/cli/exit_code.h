// SPDX-License-Identifier: Apache-2.0
// What the program's exit status means.
#pragma once

#include "rematch/plan/solution.h"

namespace rematch {

enum class ExitCode {
  kAnswered = 0,
  kBadInput = 2,
  kInfeasible = 3,    // Proved.
  kNothingFound = 4,  // Within the limits.
  kInternalError = 70,
};

inline ExitCode exit_code(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOptimal:
    case Outcome::kFeasible:
      return ExitCode::kAnswered;
    case Outcome::kInfeasible:
      return ExitCode::kInfeasible;
    case Outcome::kUnknown:
      return ExitCode::kNothingFound;
  }
  return ExitCode::kInternalError;
}

}  // namespace rematch
