// SPDX-License-Identifier: Apache-2.0
#include "rematch/plan/plan.h"

namespace rematch {

std::vector<OpId> computed_ops(const Plan& plan) {
  std::vector<OpId> ops;
  for (const Step& step : plan.steps) {
    if (step.is_compute()) ops.push_back(step.op());
  }
  return ops;
}

}  // namespace rematch
