// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/population.h"

#include <algorithm>

namespace rematch {
namespace {

// How much more than the best may cost what is worth crossing with it.
constexpr double kEliteExtra = 1.08;

}  // namespace

Population::Population(std::size_t capacity, std::int64_t work)
    : elites_(capacity), born_(work), improved_(work) {}

Population::Population(const Elites& others, std::int64_t work)
    : Population(others.size(), work) {
  for (std::size_t i = 0; i < others.size(); ++i) elites_.offer(others[i]);
}

bool Population::offer(const Incumbent& found, std::int64_t work) {
  const bool leads = elites_.size() == 0 || found.better_than(elites_.best());
  if (leads) improved_ = work;
  if (leads || !elites_.best().fits ||
      found.extra <= kEliteExtra * elites_.best().extra) {
    elites_.offer(found);
  }
  return leads;
}

void Population::grow(std::size_t most) {
  const std::size_t now = elites_.capacity();
  elites_.set_capacity(std::max(now, std::min(most, now + 1)));
}

bool Population::is_stale(std::int64_t work, std::int64_t least) const {
  const std::int64_t idle = work - improved_;
  return elites_.full() && idle >= least && 2 * idle >= work - born_;
}

}  // namespace rematch
