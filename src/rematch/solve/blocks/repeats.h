// SPDX-License-Identifier: Apache-2.0
// Stretches of a graph that repeat, such as the layers of a transformer.
#pragma once

#include <cstddef>
#include <vector>

#include "rematch/graph/graph.h"

namespace rematch {

// Ops first .. first + period * count - 1: blocks of `period` ops each, which
// are alike op by op: kind, cost, workspace, sizes, and what they read as far
// as that is near.
struct Repeat {
  std::size_t first = 0;
  std::size_t period = 0;
  std::size_t count = 0;

  std::size_t end() const { return first + period * count; }
  friend bool operator==(const Repeat&, const Repeat&) = default;
};

// Stretches of at least `kFewestBlocks` blocks, ascending, none of which meet.
// Blocks begin where the least bytes are read on by later ops of the stretch.
// O(size of the graph), whatever is in it.
inline constexpr std::size_t kFewestBlocks = 4;
std::vector<Repeat> find_repeats(const Graph& graph);

}  // namespace rematch
