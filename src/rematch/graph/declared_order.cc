// SPDX-License-Identifier: Apache-2.0
#include "rematch/graph/declared_order.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace rematch {
namespace {

// Walks backwards from a member of what could not be ordered; each such index
// still waits for another one, so the walk must meet itself.
std::vector<std::size_t> find_cycle(
    const std::vector<std::vector<std::size_t>>& needs,
    const std::vector<std::size_t>& waiting) {
  std::size_t at = 0;
  while (waiting[at] == 0) ++at;
  std::vector<std::size_t> walk;
  std::vector<bool> seen(needs.size());
  while (!seen[at]) {
    seen[at] = true;
    walk.push_back(at);
    at = *std::find_if(needs[at].begin(), needs[at].end(),
                       [&](std::size_t need) { return waiting[need] > 0; });
  }
  std::vector<std::size_t> cycle(std::find(walk.begin(), walk.end(), at),
                                 walk.end());
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()),
              cycle.end());
  return cycle;
}

}  // namespace

DependencyOrder sort_by_dependencies(
    const std::vector<std::vector<std::size_t>>& needs) {
  std::vector<std::vector<std::size_t>> users(needs.size());
  std::vector<std::size_t> waiting(needs.size());  // Needs not yet placed.
  for (std::size_t i = 0; i < needs.size(); ++i) {
    waiting[i] = needs[i].size();
    for (std::size_t need : needs[i]) users[need].push_back(i);
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>>
      ready;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (waiting[i] == 0) ready.push(i);
  }
  DependencyOrder result;
  while (!ready.empty()) {
    const std::size_t next = ready.top();
    ready.pop();
    result.order.push_back(next);
    for (std::size_t user : users[next]) {
      if (--waiting[user] == 0) ready.push(user);
    }
  }
  if (result.order.size() == needs.size()) return result;
  result.order.clear();
  result.cycle = find_cycle(needs, waiting);
  return result;
}

}  // namespace rematch
