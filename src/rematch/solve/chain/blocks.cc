// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/chain/blocks.h"

#include <algorithm>

#include <fmt/format.h>

#include "rematch/solve/chain/block_footprint.h"
#include "rematch/solve/chain/forward_part.h"

namespace rematch {
namespace {

Error not_a_chain(std::string why) {
  return {ErrorCode::kInvalidArgument, std::move(why)};
}

// The ops after which the forward part is cut; its last op is always one.
std::vector<OpId> cuts(const std::vector<OpId>& forward,
                       std::vector<OpId> candidates, std::size_t most) {
  if (candidates.empty() || candidates.back() != forward.back()) {
    candidates.push_back(forward.back());
  }
  if (candidates.size() <= most) return candidates;
  std::vector<OpId> chosen;
  for (std::size_t i = 1; i <= most; ++i) {
    chosen.push_back(candidates[i * candidates.size() / most - 1]);
  }
  return chosen;
}

// The latest block whose backward may hold an op that reads `tensor`: the
// block of its producer, or the one after for the value at a cut.
std::size_t latest_block(const Graph& graph,
                         const std::vector<std::size_t>& block_of,
                         const std::vector<OpId>& cut_ops, TensorId tensor) {
  const OpId producer = *graph.tensor(tensor).producer;
  const std::size_t block = block_of[producer.index()];
  return producer == cut_ops[block] ? block + 1 : block;
}

// Gives every op after the forward part to a block, in descending order.
void place_backward(const Graph& graph, const std::vector<OpId>& cut_ops,
                    const std::vector<std::size_t>& block_of,
                    std::vector<Block>& blocks) {
  std::size_t current = blocks.size() - 1;
  for (std::size_t i = block_of.size(); i < graph.num_ops(); ++i) {
    bool reads_forward = false;
    for (TensorId input : graph.inputs(OpId(i))) {
      const auto producer = graph.tensor(input).producer;
      if (!producer || producer->index() >= block_of.size()) continue;
      current =
          std::min(current, latest_block(graph, block_of, cut_ops, input));
      reads_forward = reads_forward || block_of[producer->index()] == current;
    }
    blocks[current].backward.emplace_back(i);
    if (reads_forward) blocks[current].backward_reads_block = true;
  }
}

}  // namespace

Result<BlockChain> block_chain(const Graph& graph, std::size_t most_blocks) {
  const std::vector<OpId> forward = forward_ops(graph);
  if (forward.empty() || forward.size() == graph.num_ops()) {
    return not_a_chain(
        fmt::format("it has {} forward ops and {} others, and needs both",
                    forward.size(), graph.num_ops() - forward.size()));
  }
  if (forward.back().index() + 1 != forward.size()) {
    return not_a_chain(
        fmt::format("forward op '{}' comes after ops of another phase",
                    graph.op(forward.back()).name));
  }
  const std::vector<OpId> cut_ops =
      cuts(forward, articulation_ops(graph), most_blocks);
  if (cut_ops.size() < 2) {
    return not_a_chain(fmt::format(
        "no op among its {} forward ops cuts it in two", forward.size()));
  }
  BlockChain chain;
  chain.blocks.resize(cut_ops.size() + 1);
  std::vector<std::size_t> block_of(forward.size());
  std::size_t block = 0;
  for (OpId op : forward) {
    block_of[op.index()] = block;
    chain.blocks[block].forward.push_back(op);
    if (graph.op(op).recomputable) {
      chain.blocks[block].forward_cost += graph.op(op).cost;
    }
    if (op == cut_ops[block]) ++block;
  }
  place_backward(graph, cut_ops, block_of, chain.blocks);
  measure_blocks(graph, chain);
  return chain;
}

}  // namespace rematch
