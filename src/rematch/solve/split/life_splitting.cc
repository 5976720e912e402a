// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/life_splitting.h"

#include <cmath>

namespace rematch {
namespace {

// Relaxations that raise the bound by less than this share of the gap, that
// often in a row, are not split further before a search over integers.
constexpr double kLeastRise = 0.01;
constexpr int kMostIdle = 3;
constexpr int kMostIdleIfCheap = 8;

}  // namespace

bool LifeSplitting::goes_on(SplitRound& round, Cost gap, double effort) {
  if (is_back_) {
    is_back_ = false;
    return false;
  }
  const bool rose =
      std::isfinite(gap) && round.value() - coarse_value_ > kLeastRise * gap;
  if (!coarse_ || rose) {
    coarse_ = round.detail();
    coarse_value_ = round.value();
    coarse_effort_ = effort;
    idle_ = 0;
  } else {
    ++idle_;
  }
  const bool is_patient = idle_ < kMostIdle || (idle_ < kMostIdleIfCheap &&
                                                effort < 2 * coarse_effort_);
  is_split_up_ = is_patient && !round.split_along_paths();
  if (is_patient && !is_split_up_) return true;
  const bool goes_back = idle_ > 0;
  if (goes_back) round.detail() = *std::move(coarse_);
  coarse_.reset();
  idle_ = 0;
  is_back_ = goes_back;
  return goes_back;
}

}  // namespace rematch
