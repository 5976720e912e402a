// SPDX-License-Identifier: Apache-2.0
// What each op touches: the storages that it reads or writes, and which of
// their tensors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rematch/graph/graph.h"

namespace rematch {

// A set of tensors of one storage, a bit each. Tensors that are never needed
// again (no reader, no output) have no bit. A storage of more than 64 tensors
// has the rest share the last bit; what shares it counts as needed from the
// first of them to the last reader, which is too much but never too little.
using TensorBits = std::uint64_t;

// One op and one storage.
struct Touch {
  StorageId storage;
  Bytes bytes = 0;           // Of the storage; 0 if it is resident.
  TensorBits reads = 0;      // The op needs them.
  TensorBits first_run = 0;  // The first run makes them.
  TensorBits rerun = 0;      // Another run makes them anew: no graph outputs.
};

// Refers to the graph.
class TouchTable {
 public:
  explicit TouchTable(const Graph& graph);

  std::span<const Touch> of(OpId op) const {
    return std::span(touches_).subspan(
        starts_[op.index()], starts_[op.index() + 1] - starts_[op.index()]);
  }
  const Touch& touch(std::int32_t index) const {
    return touches_[static_cast<std::size_t>(index)];
  }
  // The index of the op's first touch; the others follow.
  std::int32_t first_touch(OpId op) const {
    return static_cast<std::int32_t>(starts_[op.index()]);
  }

  // Bytes that are there whenever the op runs: what it touches, its workspace
  // and the fixed bytes.
  Bytes own_bytes(OpId op) const { return own_[op]; }
  // What must be there at the end.
  TensorBits kept(StorageId storage) const { return kept_[storage]; }
  // None for a tensor that is never needed and for graph inputs.
  TensorBits bit(TensorId tensor) const { return bits_[tensor]; }

 private:
  void assign_bits(const Graph& graph);
  void add_touches(const Graph& graph, OpId op);

  std::vector<Touch> touches_;
  std::vector<std::size_t> starts_ = {0};
  IdVector<OpId, Bytes> own_;
  IdVector<StorageId, TensorBits> kept_;
  IdVector<StorageId, bool> shared_made_;  // By an op so far.
  IdVector<TensorId, TensorBits> bits_;
};

}  // namespace rematch
