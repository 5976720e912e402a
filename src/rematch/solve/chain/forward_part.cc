// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/chain/forward_part.h"

#include <algorithm>

#include <fmt/format.h>

namespace rematch {
namespace {

bool is_forward(const Graph& graph, OpId op) {
  return graph.op(op).phase == Phase::kForward;
}

// Positions among the forward ops; -1 for the others.
IdVector<OpId, std::int32_t> positions(const Graph& graph,
                                       const std::vector<OpId>& forward) {
  IdVector<OpId, std::int32_t> position(graph.num_ops(), -1);
  for (std::size_t i = 0; i < forward.size(); ++i) {
    position[forward[i]] = static_cast<std::int32_t>(i);
  }
  return position;
}

// The range [first, last] of positions of the forward ops that an op reads;
// empty if it reads none.
struct Span {
  std::int32_t first = INT32_MAX;
  std::int32_t last = -1;
  bool empty() const { return last < 0; }
};

Span forward_inputs(const Graph& graph,
                    const IdVector<OpId, std::int32_t>& position, OpId op) {
  Span span;
  for (TensorId input : graph.inputs(op)) {
    const auto producer = graph.tensor(input).producer;
    if (!producer || position[*producer] < 0) continue;
    span.first = std::min(span.first, position[*producer]);
    span.last = std::max(span.last, position[*producer]);
  }
  return span;
}

}  // namespace

std::vector<OpId> forward_ops(const Graph& graph) {
  std::vector<OpId> result;
  for (OpId op : graph.ops()) {
    if (is_forward(graph, op)) result.push_back(op);
  }
  return result;
}

// In a topological order a vertex lies on every path from source to sink
// exactly if no edge, virtual source and sink included, jumps over it.
std::vector<OpId> articulation_ops(const Graph& graph) {
  const std::vector<OpId> forward = forward_ops(graph);
  const auto position = positions(graph, forward);
  const std::size_t n = forward.size();
  std::vector<std::int64_t> jumps(n + 2);  // Differences.
  // An edge from position a to b jumps over a+1 .. b-1.
  const auto add_edge = [&](std::int64_t a, std::int64_t b) {
    if (b - a < 2) return;
    ++jumps[static_cast<std::size_t>(a + 1)];
    --jumps[static_cast<std::size_t>(b)];
  };
  std::vector<bool> has_reader(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Span read = forward_inputs(graph, position, forward[i]);
    const auto at = static_cast<std::int64_t>(i);
    add_edge(read.empty() ? -1 : read.first, at);
    for (TensorId input : graph.inputs(forward[i])) {
      const auto producer = graph.tensor(input).producer;
      if (!producer || position[*producer] < 0) continue;
      has_reader[static_cast<std::size_t>(position[*producer])] = true;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!has_reader[i]) {
      add_edge(static_cast<std::int64_t>(i), static_cast<std::int64_t>(n));
    }
  }
  std::vector<OpId> result;
  std::int64_t over = 0;
  for (std::size_t i = 0; i < n; ++i) {
    over += jumps[i];
    if (over == 0) result.push_back(forward[i]);
  }
  return result;
}

std::optional<std::string> why_not_chain(const Graph& graph) {
  const std::vector<OpId> forward = forward_ops(graph);
  const auto position = positions(graph, forward);
  if (forward.empty() || forward.size() == graph.num_ops()) {
    return fmt::format("it has {} forward ops and {} others, and needs both",
                       forward.size(), graph.num_ops() - forward.size());
  }
  for (std::size_t i = 0; i < forward.size(); ++i) {
    if (forward[i].index() != i) {
      return fmt::format("op '{}' comes after op '{}', which is not forward",
                         graph.op(forward[i]).name, graph.op(OpId(i)).name);
    }
    const Span read = forward_inputs(graph, position, forward[i]);
    const auto before = static_cast<std::int32_t>(i) - 1;
    if (i == 0 || (read.first == before && read.last == before)) continue;
    return fmt::format("op '{}' does not read op '{}' alone",
                       graph.op(forward[i]).name,
                       graph.op(forward[i - 1]).name);
  }
  return std::nullopt;
}

}  // namespace rematch
