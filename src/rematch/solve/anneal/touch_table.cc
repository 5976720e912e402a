// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/touch_table.h"

#include <algorithm>

namespace rematch {
namespace {

constexpr int kSharedBit = 63;
constexpr TensorBits kShared = TensorBits{1} << kSharedBit;

}  // namespace

TouchTable::TouchTable(const Graph& graph)
    : own_(graph.num_ops()),
      kept_(graph.num_storages()),
      shared_made_(graph.num_storages()),
      bits_(graph.num_tensors()) {
  assign_bits(graph);
  starts_.reserve(graph.num_ops() + 1);
  for (OpId op : graph.ops()) add_touches(graph, op);
}

void TouchTable::assign_bits(const Graph& graph) {
  for (StorageId storage : graph.storages()) {
    int next = 0;
    for (TensorId tensor : graph.tensors_in(storage)) {
      if (graph.is_input(tensor)) continue;
      const bool kept = graph.tensor(tensor).is_output;
      if (!kept && graph.readers(tensor).empty()) continue;
      bits_[tensor] = TensorBits{1} << std::min(next++, kSharedBit);
      if (kept) kept_[storage] |= bits_[tensor];
    }
  }
}

void TouchTable::add_touches(const Graph& graph, OpId op) {
  const auto begin = static_cast<std::ptrdiff_t>(touches_.size());
  const auto touch = [&](TensorId tensor) -> Touch& {
    const StorageId storage = graph.tensor(tensor).storage;
    const auto found = std::find_if(
        touches_.begin() + begin, touches_.end(),
        [&](const Touch& other) { return other.storage == storage; });
    if (found != touches_.end()) return *found;
    const Storage& block = graph.storage(storage);
    touches_.push_back(
        {.storage = storage, .bytes = block.resident ? 0 : block.bytes});
    return touches_.back();
  };
  for (TensorId input : graph.inputs(op)) {
    if (!graph.is_input(input)) touch(input).reads |= bits_[input];
  }
  for (TensorId output : graph.outputs(op)) {
    Touch& made = touch(output);
    const TensorBits bit = bits_[output];
    if (bit != kShared || !shared_made_[made.storage]) made.first_run |= bit;
    if (bit == kShared) shared_made_[made.storage] = true;
    const bool kept = graph.tensor(output).is_output;
    if (bit != kShared && !kept) made.rerun |= bit;
  }
  own_[op] = graph.op(op).workspace + graph.fixed_bytes();
  for (auto it = touches_.begin() + begin; it != touches_.end(); ++it) {
    own_[op] += it->bytes;
  }
  starts_.push_back(touches_.size());
}

}  // namespace rematch
