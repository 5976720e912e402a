// SPDX-License-Identifier: Apache-2.0
// A point of a split program that is almost a plan, as something to search
// near: what is kept of it, and what is left open.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "rematch/solve/split/split_program.h"

namespace rematch {

struct NearPoint {
  // What is live at which of its points.
  std::map<std::pair<LifeId, std::int32_t>, bool> live;
  // Stages at which the point does not hold.
  std::set<std::int32_t> trouble;
  Cost cost = 0;  // What a plan that was as good would cost.
};

// The lives at a point that has whole numbers.
std::map<std::pair<LifeId, std::int32_t>, bool> lives_at(
    const SplitProgram& program, std::span<const double> columns);

// Keeps the lives of a model of the program as they are at the point, but for
// a few stages around those at which it does not hold.
void fix_far_lives(const SplitProgram& program, const NearPoint& point,
                   LinearModel& model);

// Makes every stage at or beside one at which the point does not hold a
// detailed one. There are `stages` in all.
void look_closely_at_trouble(const NearPoint& point, std::int32_t stages,
                             SplitPoints& points);

}  // namespace rematch
