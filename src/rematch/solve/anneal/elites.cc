// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/elites.h"

#include <algorithm>

namespace rematch {

bool Elites::offer(const Incumbent& found) {
  const auto place = std::find_if(
      items_.begin(), items_.end(),
      [&](const Incumbent& item) { return !item.better_than(found); });
  // Equal ones are taken to be the same.
  if (place != items_.end() && !found.better_than(*place)) return false;
  if (place == items_.end() && full()) return false;
  items_.insert(place, found);
  if (items_.size() > capacity_) items_.pop_back();
  return true;
}

}  // namespace rematch
