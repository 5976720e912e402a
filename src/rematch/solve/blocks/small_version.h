// SPDX-License-Identifier: Apache-2.0
// A training graph with fewer of its identical blocks, on which decisions for
// all of them are made quickly.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "rematch/solve/blocks/repeats.h"

namespace rematch {

// The blocks of a forward pass and those of the backward pass that belong to
// them: forward block b is read by backward block pair_sum - b.
struct BlockPair {
  Repeat forward;
  Repeat backward;
  std::size_t pair_sum = 0;

  std::size_t num_ops() const {
    return forward.period * forward.count + backward.period * backward.count;
  }
  friend bool operator==(const BlockPair&, const BlockPair&) = default;
};

// The pair of stretches with the most ops, if there is one. `repeats` as
// find_repeats() gives them.
std::optional<BlockPair> find_block_pair(const Graph& graph,
                                         std::span<const Repeat> repeats);

struct SmallVersion {
  Graph graph;
  Repeat forward;  // The blocks that are left of the pair's.
};

// Leaves `blocks` forward blocks, from both ends, and their backward blocks.
// None if blocks read what is far away in other blocks.
std::optional<SmallVersion> with_fewer_blocks(const Graph& graph,
                                              const BlockPair& pair,
                                              std::size_t blocks);

}  // namespace rematch
