// SPDX-License-Identifier: Apache-2.0
// The training graph: ops, tensors and storages. Immutable once built.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rematch/base/bytes.h"
#include "rematch/base/cost.h"
#include "rematch/base/ids.h"

namespace rematch {

enum class Phase { kForward, kBackward, kOther };

struct Op {
  std::string name;
  std::string kind;     // "conv2d"; free text, may be empty.
  Cost cost = 0;        // Of one run.
  Bytes workspace = 0;  // Needed only while it runs.
  Phase phase = Phase::kOther;
  bool recomputable = true;  // False: has an effect, runs exactly once.

  friend bool operator==(const Op&, const Op&) = default;
};

struct Tensor {
  std::string name;
  Bytes bytes = 0;
  std::optional<OpId> producer;  // None: a graph input, always resident.
  StorageId storage;
  bool is_output = false;  // Live to the end once computed.

  friend bool operator==(const Tensor&, const Tensor&) = default;
};

// A block of memory. It is live while any of its tensors is.
struct Storage {
  Bytes bytes = 0;        // The largest of its tensors.
  bool resident = false;  // Holds a graph input, so it never dies.

  friend bool operator==(const Storage&, const Storage&) = default;
};

// Variable-length rows of ids in one block of memory.
template <class Row, class Item>
class IdTable {
 public:
  std::span<const Item> operator[](Row row) const {
    return std::span(items_).subspan(
        starts_[row.index()], starts_[row.index() + 1] - starts_[row.index()]);
  }
  std::size_t num_items() const { return items_.size(); }

  // Rows are appended in order of their ids.
  void append_row(std::span<const Item> row) {
    items_.insert(items_.end(), row.begin(), row.end());
    starts_.push_back(items_.size());
  }

  friend bool operator==(const IdTable&, const IdTable&) = default;

 private:
  std::vector<std::size_t> starts_ = {0};
  std::vector<Item> items_;
};

// Made by GraphBuilder, which checks every rule. Op ids are the given order of
// first computation: an op reads only graph inputs and outputs of ops with
// smaller ids. Names of ops are unique, and so are names of tensors.
class Graph {
 public:
  const std::string& name() const { return name_; }
  const std::string& description() const { return description_; }
  const std::string& cost_unit() const { return cost_unit_; }

  std::size_t num_ops() const { return ops_.size(); }
  std::size_t num_tensors() const { return tensors_.size(); }
  std::size_t num_storages() const { return storages_.size(); }
  // Pairs of an op and a tensor that it reads and that another op produces.
  std::size_t num_edges() const { return num_edges_; }

  IdRange<OpId> ops() const { return ops_.ids(); }
  IdRange<TensorId> tensors() const { return tensors_.ids(); }
  IdRange<StorageId> storages() const { return storages_.ids(); }

  const Op& op(OpId id) const { return ops_[id]; }
  const Tensor& tensor(TensorId id) const { return tensors_[id]; }
  const Storage& storage(StorageId id) const { return storages_[id]; }

  // What the op reads, as declared (a tensor may appear twice).
  std::span<const TensorId> inputs(OpId id) const { return inputs_[id]; }
  std::span<const TensorId> outputs(OpId id) const { return outputs_[id]; }
  // The ops that read the tensor, ascending, each once.
  std::span<const OpId> readers(TensorId id) const { return readers_[id]; }
  // The tensors that live in the storage, ascending.
  std::span<const TensorId> tensors_in(StorageId id) const {
    return tensors_in_[id];
  }

  // Bytes that are always there: all graph inputs, each storage once, plus
  // declared_fixed_bytes().
  Bytes fixed_bytes() const { return fixed_bytes_; }
  // What the caller declared on top of the graph inputs.
  Bytes declared_fixed_bytes() const { return declared_fixed_bytes_; }

  // The cost of running every op once; no plan costs less.
  Cost base_cost() const { return base_cost_; }

  bool is_input(TensorId id) const { return !tensors_[id].producer; }
  // A tensor that a plan may drop: computed, and not kept to the end.
  bool is_droppable(TensorId id) const {
    return tensors_[id].producer && !tensors_[id].is_output;
  }

  friend bool operator==(const Graph&, const Graph&) = default;

 private:
  friend class GraphBuilder;

  std::string name_;
  std::string description_;
  std::string cost_unit_;
  IdVector<OpId, Op> ops_;
  IdVector<TensorId, Tensor> tensors_;
  IdVector<StorageId, Storage> storages_;
  IdTable<OpId, TensorId> inputs_;
  IdTable<OpId, TensorId> outputs_;
  IdTable<TensorId, OpId> readers_;
  IdTable<StorageId, TensorId> tensors_in_;
  std::size_t num_edges_ = 0;
  Bytes fixed_bytes_ = 0;
  Bytes declared_fixed_bytes_ = 0;
  Cost base_cost_ = 0;
};

// "forward", "backward", "other".
std::string_view phase_name(Phase phase);
std::optional<Phase> phase_from_name(std::string_view name);

// The cost of running each op as often as `runs` says, summed in op order, so
// that two plans with the same runs have the same cost to the last bit.
Cost cost_of_runs(const Graph& graph, const IdVector<OpId, std::int64_t>& runs);

}  // namespace rematch
