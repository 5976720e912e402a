// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/dtr_classes.h"

#include <algorithm>
#include <utility>

namespace rematch {

EvictedClasses::EvictedClasses(const Graph& graph)
    : graph_(graph), evicted_(graph.num_ops()), node_(graph.num_ops(), -1) {}

std::int32_t EvictedClasses::find(std::int32_t node) {
  auto at = static_cast<std::size_t>(node);
  while (parent_[at] != static_cast<std::int32_t>(at)) {
    parent_[at] = parent_[static_cast<std::size_t>(parent_[at])];
    at = static_cast<std::size_t>(parent_[at]);
  }
  return static_cast<std::int32_t>(at);
}

void EvictedClasses::join(std::int32_t a, std::int32_t b) {
  a = find(a);
  b = find(b);
  if (a == b) return;
  parent_[static_cast<std::size_t>(b)] = a;
  cost_[static_cast<std::size_t>(a)] += cost_[static_cast<std::size_t>(b)];
}

template <class Visit>
void EvictedClasses::for_each_evicted_neighbour(OpId op, const Visit& visit) {
  for (TensorId input : graph_.inputs(op)) {
    const auto producer = graph_.tensor(input).producer;
    if (producer && evicted_[*producer]) visit(*producer);
  }
  for (TensorId output : graph_.outputs(op)) {
    for (OpId reader : graph_.readers(output)) {
      if (evicted_[reader]) visit(reader);
    }
  }
}

void EvictedClasses::enter(OpId op) {
  if (evicted_[op]) return;
  evicted_[op] = true;
  const auto node = static_cast<std::int32_t>(parent_.size());
  node_[op] = node;
  parent_.push_back(node);
  cost_.push_back(graph_.op(op).cost);
  counted_.push_back(0);
  for_each_evicted_neighbour(op, [&](OpId other) { join(node_[other], node); });
}

void EvictedClasses::leave(OpId op) {
  if (!evicted_[op]) return;
  evicted_[op] = false;
  Cost& cost = cost_[static_cast<std::size_t>(find(node_[op]))];
  cost = std::max(0.0, cost - graph_.op(op).cost);
}

Cost EvictedClasses::neighbours(TensorId tensor) {
  Cost sum = 0;
  for_each_evicted_neighbour(*graph_.tensor(tensor).producer, [&](OpId other) {
    const auto root = static_cast<std::size_t>(find(node_[other]));
    if (counted_[root] == stamp_) return;
    counted_[root] = stamp_;
    sum += cost_[root];
  });
  return sum;
}

}  // namespace rematch
