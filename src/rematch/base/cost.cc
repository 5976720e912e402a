// SPDX-License-Identifier: Apache-2.0
#include "rematch/base/cost.h"

#include <cmath>

#include <fmt/format.h>

namespace rematch {

std::string format_cost(Cost cost) {
  if (cost == std::floor(cost) && std::fabs(cost) < 9.0e15) {
    return fmt::format("{:.0f}", cost);
  }
  return fmt::format("{}", cost);
}

std::string format_ratio(double ratio) {
  if (ratio >= 100) return fmt::format("{:.1f}x", ratio);
  return fmt::format("{:.5f}x", ratio);
}

}  // namespace rematch
