// SPDX-License-Identifier: Apache-2.0
#include "rematch/plan/floor.h"

#include <vector>

#include "rematch/plan/occupancy.h"

namespace rematch {
namespace {

// Tensors that cannot be dropped between their first computation and the last
// op that reads them (in the fixed order), or the end.
bool is_pinned(const Graph& graph, TensorId tensor) {
  const auto producer = graph.tensor(tensor).producer;
  if (!producer) return false;
  if (graph.tensor(tensor).is_output) return true;
  return !graph.op(*producer).recomputable && !graph.readers(tensor).empty();
}

}  // namespace

PeakFloor peak_floor(const Graph& graph, OrderRule order) {
  Occupancy set(graph);
  PeakFloor floor{.bytes = graph.fixed_bytes(), .op = OpId()};
  std::vector<std::vector<TensorId>> unpinned_after(graph.num_ops());
  for (OpId op : graph.ops()) {
    for (TensorId tensor : graph.inputs(op)) set.hold(tensor);
    for (TensorId tensor : graph.outputs(op)) set.hold(tensor);
    const Bytes bytes =
        graph.fixed_bytes() + set.bytes() + graph.op(op).workspace;
    if (bytes > floor.bytes) floor = {.bytes = bytes, .op = op};
    for (TensorId tensor : graph.inputs(op)) set.release(tensor);
    for (TensorId tensor : graph.outputs(op)) set.release(tensor);

    if (order == OrderRule::kFree) continue;
    for (TensorId tensor : graph.outputs(op)) {
      if (!is_pinned(graph, tensor)) continue;
      set.hold(tensor);
      if (graph.tensor(tensor).is_output) continue;
      unpinned_after[graph.readers(tensor).back().index()].push_back(tensor);
    }
    for (TensorId tensor : unpinned_after[op.index()]) set.release(tensor);
  }
  if (order == OrderRule::kFixed || graph.num_ops() == 0) return floor;
  for (TensorId tensor : graph.tensors()) {
    if (graph.tensor(tensor).is_output) set.hold(tensor);
  }
  const Bytes at_end = graph.fixed_bytes() + set.bytes();
  if (at_end > floor.bytes) {
    floor = {.bytes = at_end, .op = OpId(graph.num_ops() - 1)};
  }
  return floor;
}

}  // namespace rematch
