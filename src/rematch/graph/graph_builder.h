// SPDX-License-Identifier: Apache-2.0
// Builds a graph from names, and says which name is wrong if one is.
#pragma once

#include <string>
#include <vector>

#include "rematch/base/result.h"
#include "rematch/graph/graph.h"

namespace rematch {

// A tensor as declared.
struct TensorSpec {
  std::string name;
  Bytes bytes = 0;
  // The tensor in whose storage this one lives (a view or an alias), declared
  // anywhere in the graph; empty: a storage of its own.
  std::string storage_of;
  bool is_output = false;
};

// An op as declared. Inputs are tensor names, declared anywhere in the graph.
struct OpSpec {
  Op op;
  std::vector<std::string> inputs;
  std::vector<TensorSpec> outputs;
};

class Declarations;

// How the ops of the graph are ordered.
enum class DeclaredOrder {
  kAsGiven,  // Must be an order in which they can run, else build() fails.
  kSorted,   // Sorted so that they can run; ties keep the given order.
};

class GraphBuilder {
 public:
  GraphBuilder& name(std::string name);
  GraphBuilder& description(std::string text);
  GraphBuilder& cost_unit(std::string unit);
  // Bytes that are always resident besides the graph inputs.
  GraphBuilder& fixed_bytes(Bytes bytes);
  GraphBuilder& order(DeclaredOrder order);

  // A tensor without a producer: a weight, the batch.
  GraphBuilder& add_input(TensorSpec input);
  GraphBuilder& add_op(OpSpec op);
  // One output, named like the op.
  GraphBuilder& add_op(std::string name, std::vector<std::string> inputs,
                       Bytes bytes, Cost cost = 1, Phase phase = Phase::kOther);

  // Checks everything and makes the graph. Fails with kInvalidGraph, naming
  // what is wrong: a duplicate or empty name, an unknown input, a tensor with
  // two producers, a cycle (listed), an op before one that it needs, a
  // negative, non-finite or too large number. Linear in the size of the graph.
  Result<Graph> build() const;

 private:
  using Positions = std::vector<std::size_t>;

  Error cycle_error(const Positions& cycle) const;
  Result<Positions> op_order(const Declarations& declared) const;
  void place_tensors(const Declarations& declared, const Positions& order,
                     Graph& graph) const;
  void connect_ops(const Declarations& declared, const Positions& order,
                   Graph& graph) const;

  std::string name_;
  std::string description_;
  std::string cost_unit_;
  Bytes fixed_bytes_ = 0;
  DeclaredOrder order_ = DeclaredOrder::kAsGiven;
  std::vector<TensorSpec> inputs_;
  std::vector<OpSpec> ops_;
};

}  // namespace rematch
