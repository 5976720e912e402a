// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/near_point.h"

namespace rematch {
namespace {

constexpr std::int32_t kNearStages = 6;
constexpr std::int32_t kCloseStages = 1;

bool is_near_trouble(const NearPoint& point, std::int32_t stage) {
  const auto next = point.trouble.lower_bound(stage - kNearStages);
  return next != point.trouble.end() && *next <= stage + kNearStages;
}

}  // namespace

std::map<std::pair<LifeId, std::int32_t>, bool> lives_at(
    const SplitProgram& program, std::span<const double> columns) {
  std::map<std::pair<LifeId, std::int32_t>, bool> lives;
  for (LifeId id : program.lives().all.ids()) {
    const auto points = program.points(id);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Binary live = program.live(id, i);
      if (live.is_constant()) continue;
      lives[{id, points[i]}] = live.at(columns) > 0.5;
    }
  }
  return lives;
}

void fix_far_lives(const SplitProgram& program, const NearPoint& point,
                   LinearModel& model) {
  for (LifeId id : program.lives().all.ids()) {
    const auto points = program.points(id);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Binary live = program.live(id, i);
      if (live.is_constant() || is_near_trouble(point, points[i])) continue;
      const auto last = point.live.find({id, points[i]});
      if (last == point.live.end()) continue;
      const double value = last->second ? 1 : 0;
      model.set_bounds(live.column(), value, value);
    }
  }
}

void look_closely_at_trouble(const NearPoint& point, std::int32_t stages,
                             SplitPoints& points) {
  std::set<std::int32_t> moments(points.moments.begin(), points.moments.end());
  for (std::int32_t stage : point.trouble) {
    for (std::int32_t t = stage - kCloseStages; t <= stage + kCloseStages;
         ++t) {
      if (t < 1 || t >= stages) continue;
      moments.insert(t);
      moments.insert(t - 1);
      points.detailed.insert(t);
    }
  }
  points.moments.assign(moments.begin(), moments.end());
}

}  // namespace rematch
