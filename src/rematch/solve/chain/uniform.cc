// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/chain/uniform.h"

#include <algorithm>

#include "rematch/solve/chain/binomial.h"

namespace rematch {
namespace {

bool is_plain(const Graph& graph, OpId op, const UniformChain& chain) {
  const Op& what = graph.op(op);
  if (!what.recomputable || what.workspace != 0 || what.cost != chain.cost) {
    return false;
  }
  if (graph.outputs(op).size() != 1) return false;
  const Tensor& output = graph.tensor(graph.outputs(op)[0]);
  return !output.is_output && output.bytes == chain.bytes &&
         graph.tensors_in(output.storage).size() == 1;
}

// The producers of the op's inputs, ascending, each once.
std::vector<std::size_t> sources(const Graph& graph, OpId op) {
  std::vector<std::size_t> result;
  for (TensorId input : graph.inputs(op)) {
    const auto producer = graph.tensor(input).producer;
    if (producer) result.push_back(producer->index());
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::vector<std::size_t> expected_sources(std::size_t n, std::size_t op) {
  if (op == 0) return {};
  if (op <= n) return {op - 1};
  return {2 * n - op, op - 1};
}

}  // namespace

std::optional<UniformChain> uniform_chain(const Graph& graph) {
  if (graph.num_ops() < 3 || graph.num_ops() % 2 == 0) return std::nullopt;
  const std::size_t n = graph.num_ops() / 2;
  if (graph.outputs(OpId()).size() != 1) return std::nullopt;
  UniformChain chain;
  chain.length = static_cast<std::int64_t>(n);
  chain.bytes = graph.tensor(graph.outputs(OpId())[0]).bytes;
  chain.cost = graph.op(OpId()).cost;
  for (OpId op : graph.ops()) {
    if (!is_plain(graph, op, chain)) return std::nullopt;
    const bool forward = graph.op(op).phase == Phase::kForward;
    if (forward != (op.index() < n)) return std::nullopt;
    if (sources(graph, op) != expected_sources(n, op.index())) {
      return std::nullopt;
    }
  }
  return chain;
}

std::int64_t uniform_slots(const UniformChain& chain, Bytes budget) {
  if (chain.bytes == 0) return chain.length;
  return std::min(chain.length, budget / chain.bytes - 2);
}

std::int64_t uniform_optimum(const UniformChain& chain, std::int64_t slots) {
  return chain.length + 1 + least_forward_runs(chain.length, slots);
}

}  // namespace rematch
