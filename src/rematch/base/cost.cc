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

namespace {

int digits_of_percent(double size) {
  return size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4;
}

}  // namespace

std::string format_percent(double share) {
  const double percent = 100 * share;
  const double size = percent < 0 ? -percent : percent;
  if (size == 0) return "+0%";
  return fmt::format("{:+.{}f}%", percent, digits_of_percent(size));
}

std::string format_gap(double gap) {
  const double percent = 100 * gap;
  const int digits = digits_of_percent(percent);
  const double unit = std::pow(10, -digits);
  // What is shown exactly is not rounded.
  const double up = std::ceil(percent / unit * (1 - 1e-12)) * unit;
  return fmt::format("{:.{}f}%", up, digits);
}

}  // namespace rematch
