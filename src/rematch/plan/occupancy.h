// SPDX-License-Identifier: Apache-2.0
// Counts the bytes of the storages that some tensors occupy, each once.
#pragma once

#include <cstdint>

#include "rematch/graph/graph.h"

namespace rematch {

// Each hold is matched by a release. Storages with a graph input are always
// there and count nothing: the fixed bytes are not included. Refers to the
// graph.
class Occupancy {
 public:
  explicit Occupancy(const Graph& graph)
      : graph_(graph), holders_(graph.num_storages()) {}

  // True if this is the first hold of a storage that counts.
  bool hold(TensorId tensor) {
    const StorageId storage = graph_.tensor(tensor).storage;
    if (graph_.storage(storage).resident) return false;
    if (holders_[storage]++ > 0) return false;
    bytes_ += graph_.storage(storage).bytes;
    return true;
  }

  // True if this was the last hold of a storage that counts.
  bool release(TensorId tensor) {
    const StorageId storage = graph_.tensor(tensor).storage;
    if (graph_.storage(storage).resident) return false;
    if (--holders_[storage] > 0) return false;
    bytes_ -= graph_.storage(storage).bytes;
    return true;
  }

  bool is_held(StorageId storage) const { return holders_[storage] > 0; }
  Bytes bytes() const { return bytes_; }

 private:
  const Graph& graph_;
  IdVector<StorageId, std::int32_t> holders_;
  Bytes bytes_ = 0;
};

}  // namespace rematch
