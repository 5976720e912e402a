// SPDX-License-Identifier: Apache-2.0
#include "support/naive_replay.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace rematch {
namespace {

using Names = std::set<std::string>;

// Bytes of all graph inputs, each storage once, and what was declared.
Bytes resident_bytes(const Graph& graph) {
  std::map<int, Bytes> storages;
  for (TensorId id : graph.tensors()) {
    const Tensor& input = graph.tensor(id);
    if (input.producer) continue;
    // The storage is as large as the largest tensor in it.
    Bytes size = 0;
    for (TensorId other : graph.tensors()) {
      if (graph.tensor(other).storage == input.storage) {
        size = std::max(size, graph.tensor(other).bytes);
      }
    }
    storages[input.storage.value] = size;
  }
  Bytes sum = graph.declared_fixed_bytes();
  for (const auto& [storage, size] : storages) sum += size;
  return sum;
}

bool shares_with_input(const Graph& graph, StorageId storage) {
  for (TensorId id : graph.tensors()) {
    const Tensor& tensor = graph.tensor(id);
    if (!tensor.producer && tensor.storage == storage) return true;
  }
  return false;
}

Bytes live_bytes(const Graph& graph, const Names& live) {
  std::map<int, Bytes> storages;
  for (TensorId id : graph.tensors()) {
    const Tensor& tensor = graph.tensor(id);
    if (!live.contains(tensor.name)) continue;
    if (shares_with_input(graph, tensor.storage)) continue;
    Bytes size = 0;
    for (TensorId other : graph.tensors()) {
      if (graph.tensor(other).storage == tensor.storage) {
        size = std::max(size, graph.tensor(other).bytes);
      }
    }
    storages[tensor.storage.value] = size;
  }
  Bytes sum = resident_bytes(graph);
  for (const auto& [storage, size] : storages) sum += size;
  return sum;
}

bool may_compute(const Graph& graph, const Names& live, const Names& done,
                 OpId op, OrderRule order) {
  for (TensorId input : graph.inputs(op)) {
    const Tensor& tensor = graph.tensor(input);
    if (tensor.producer && !live.contains(tensor.name)) return false;
  }
  if (done.contains(graph.op(op).name)) return graph.op(op).recomputable;
  const bool free = order == OrderRule::kFree;
  if (free && graph.op(op).recomputable) return true;
  for (OpId earlier : graph.ops()) {
    if (free && graph.op(earlier).recomputable) continue;
    if (earlier < op && !done.contains(graph.op(earlier).name)) return false;
  }
  return true;
}

bool may_drop(const Graph& graph, const Names& live, TensorId id) {
  const Tensor& tensor = graph.tensor(id);
  return tensor.producer && !tensor.is_output && live.contains(tensor.name);
}

}  // namespace

std::optional<NaiveReplay> naive_replay(const Graph& graph, const Plan& plan,
                                        OrderRule order) {
  Names live;
  Names done;
  NaiveReplay result;
  result.peak = resident_bytes(graph);
  for (const Step& step : plan.steps) {
    Bytes extra = 0;
    if (step.is_compute()) {
      if (!may_compute(graph, live, done, step.op(), order)) {
        return std::nullopt;
      }
      done.insert(graph.op(step.op()).name);
      for (TensorId output : graph.outputs(step.op())) {
        live.insert(graph.tensor(output).name);
      }
      extra = graph.op(step.op()).workspace;
      result.cost += graph.op(step.op()).cost;
    } else {
      if (!may_drop(graph, live, step.tensor())) return std::nullopt;
      live.erase(graph.tensor(step.tensor()).name);
    }
    result.footprint.push_back(live_bytes(graph, live) + extra);
    result.peak = std::max(result.peak, result.footprint.back());
  }
  if (done.size() != graph.num_ops()) return std::nullopt;
  return result;
}

}  // namespace rematch
