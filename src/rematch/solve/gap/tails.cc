// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/tails.h"

#include <algorithm>

namespace rematch {
namespace {

// How far back a chain of inputs is followed, and how many inputs in all;
// stopping early stays valid.
constexpr int kMostDepth = 6;
constexpr int kMostVisits = 64;
// A price with more pieces than this is replaced by a lower one with fewer.
constexpr std::size_t kMostPieces = 6;

}  // namespace

Tails::Tails(const Graph& graph, const GapProgram& program)
    : graph_(graph),
      program_(program),
      last_touch_(graph.num_storages(), -1),
      pinned_(graph.num_storages()),
      edges_(graph.num_ops()),
      levels_(kMostDepth + 1, Concave(0)) {
  std::size_t next = 0;
  for (OpId op : graph.ops()) {
    edges_[op] = next;
    next += graph.inputs(op).size();
  }
  shares_.assign(next, 0);
  for (TensorId id : graph.tensors()) {
    const Tensor& tensor = graph.tensor(id);
    std::int32_t& last = last_touch_[tensor.storage];
    if (tensor.producer) last = std::max(last, tensor.producer->value);
    if (!graph.readers(id).empty()) {
      last = std::max(last, graph.readers(id).back().value);
    }
    if (tensor.is_output || !tensor.producer) pinned_[tensor.storage] = true;
  }
}

bool Tails::is_over(StorageId storage, std::int32_t stage) const {
  return !pinned_[storage] && last_touch_[storage] <= stage &&
         graph_.storage(storage).bytes > 0;
}

Concave Tails::price(const Gap& gap) const {
  visits_left_ = kMostVisits;
  Concave result(gap.cost);
  if (gap.root) {
    result = rerun_price(*gap.root, gap.first - 1, 0);
    result.scale(gap.share);
  }
  result.cap(static_cast<double>(gap.bytes));
  return result;
}

// The op's cost and, for each input whose life is over, its share of what
// having it there takes.
Concave& Tails::rerun_price(OpId op, std::int32_t stage, int depth) const {
  Concave& result = levels_[static_cast<std::size_t>(depth)];
  result.become(graph_.op(op).cost);
  if (depth == kMostDepth) return result;
  const auto inputs = graph_.inputs(op);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double share = shares_[first_edge(op) + i];
    const StorageId storage = graph_.tensor(inputs[i]).storage;
    if (share == 0 || !is_over(storage, stage)) continue;
    if (visits_left_-- <= 0) break;
    result.add(share, storage_price(storage, stage, depth + 1));
  }
  result.simplify(kMostPieces);
  return result;
}

Concave& Tails::storage_price(StorageId storage, std::int32_t stage,
                              int depth) const {
  const auto bytes = static_cast<double>(graph_.storage(storage).bytes);
  const StorageRoot& root = program_.roots[storage];
  Concave& result = levels_[static_cast<std::size_t>(depth)];
  switch (root.kind) {
    case StorageRoot::Kind::kNone:
      result.become_line(bytes);
      return result;
    case StorageRoot::Kind::kOne:
      rerun_price(root.op, stage, depth).scale(root.share);
      break;
    default:
      result.become(root.cost);
  }
  result.cap(bytes);
  return result;
}

void Tails::weigh(OpId op, std::int32_t stage, double inside, double weight,
                  int depth) {
  if (depth == kMostDepth) return;
  const auto inputs = graph_.inputs(op);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const StorageId storage = graph_.tensor(inputs[i]).storage;
    if (!is_over(storage, stage)) continue;
    if (visits_left_-- <= 0) return;
    weights_[first_edge(op) + i] += weight;
    const StorageRoot& root = program_.roots[storage];
    if (root.kind != StorageRoot::Kind::kOne) continue;
    const auto bytes = static_cast<double>(graph_.storage(storage).bytes);
    // Where holding it on is cheaper, its own inputs do not matter.
    if (bytes * inside <= root.share * graph_.op(root.op).cost) continue;
    weigh(root.op, stage, inside, weight, depth + 1);
  }
}

void Tails::move_shares(const std::vector<double>& evicted,
                        const std::vector<double>& inside, double step) {
  weights_.assign(shares_.size(), 0);
  for (std::size_t g = 0; g < program_.gaps.size(); ++g) {
    const Gap& gap = program_.gaps[g];
    if (evicted[g] <= 0 || !gap.root) continue;
    visits_left_ = kMostVisits;
    weigh(*gap.root, gap.first - 1, inside[g], evicted[g] * gap.share, 0);
  }
  IdVector<StorageId, double> total(graph_.num_storages());
  for (OpId op : graph_.ops()) {
    const auto inputs = graph_.inputs(op);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      total[graph_.tensor(inputs[i]).storage] += weights_[edges_[op] + i];
    }
  }
  for (OpId op : graph_.ops()) {
    const auto inputs = graph_.inputs(op);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const double all = total[graph_.tensor(inputs[i]).storage];
      if (all <= 0) continue;
      // Just below, so that the shares of a storage never exceed one.
      const double wanted = weights_[edges_[op] + i] / all * (1 - 1e-12);
      double& share = shares_[edges_[op] + i];
      share += step * (wanted - share);
    }
  }
}

}  // namespace rematch
