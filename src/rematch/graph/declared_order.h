// SPDX-License-Identifier: Apache-2.0
// Orders things by what they need, or finds the cycle that forbids it.
#pragma once

#include <cstddef>
#include <vector>

namespace rematch {

struct DependencyOrder {
  // Every index after all that it needs; among those that could come next the
  // smallest index first. Empty if there is a cycle.
  std::vector<std::size_t> order;
  // One cycle in the direction of data, smallest index first, or empty.
  std::vector<std::size_t> cycle;
};

// `needs[i]` lists the indices that must come before i (repeats allowed).
// O((n + edges) log n).
DependencyOrder sort_by_dependencies(
    const std::vector<std::vector<std::size_t>>& needs);

}  // namespace rematch
