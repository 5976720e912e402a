// SPDX-License-Identifier: Apache-2.0
// A training graph as a chain of blocks: cut at the articulation points of its
// forward part, each block with the backward ops that belong to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rematch/base/result.h"
#include "rematch/graph/graph.h"

namespace rematch {

// Ops of one block and what running them takes. Sizes count each storage once
// and leave out the fixed bytes.
struct Block {
  std::vector<OpId> forward;   // Ends with the cut; empty in the last block.
  std::vector<OpId> backward;  // Runs when all later blocks are done.
  bool backward_reads_block = false;  // Reads something that forward computes.
  Cost forward_cost = 0;  // Of running the recomputable forward ops again.
  Bytes output = 0;       // What the next block reads: the value at the cut.
  Bytes saved = 0;        // The output and what backward reads.
  Bytes gradient = 0;     // What earlier blocks' backward reads of backward.
  // Largest footprint of running forward: counting its own tensors, with or
  // without the value that it starts from, and dropping what only it reads ...
  Bytes forward_peak = 0;
  Bytes forward_peak_with_input = 0;
  // ... or keeping what backward reads.
  Bytes save_peak = 0;
  // Largest footprint of running backward: saved values, gradients of the next
  // block and its own tensors.
  Bytes backward_peak = 0;
};

struct BlockChain {
  std::vector<Block> blocks;
};

// Cuts the graph into at most `most_blocks` blocks (merging neighbours if the
// forward part has more cuts). The last block has no forward ops; it holds what
// runs between forward and backward. Fails with kInvalidArgument, saying why,
// if the forward ops do not come first or there are fewer than two cuts.
Result<BlockChain> block_chain(const Graph& graph, std::size_t most_blocks);

}  // namespace rematch
