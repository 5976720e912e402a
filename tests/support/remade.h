// SPDX-License-Identifier: Apache-2.0
// Small random graphs whose numbers are replaced by others, at which a solver's
// tolerances matter.
#pragma once

#include <utility>

#include "rematch/graph/graph_builder.h"
#include "support/graphs.h"

namespace rematch {

// The same graph with other numbers.
template <class NewBytes, class NewCost>
Graph remade(const Graph& graph, const NewBytes& bytes, const NewCost& cost) {
  GraphBuilder builder;
  builder.fixed_bytes(graph.declared_fixed_bytes());
  const auto spec = [&](TensorId id) {
    const Tensor& tensor = graph.tensor(id);
    const TensorId first = graph.tensors_in(tensor.storage).front();
    return TensorSpec{.name = tensor.name,
                      .bytes = bytes(tensor.bytes),
                      .storage_of = first == id ? "" : graph.tensor(first).name,
                      .is_output = tensor.is_output};
  };
  for (TensorId tensor : graph.tensors()) {
    if (graph.is_input(tensor)) builder.add_input(spec(tensor));
  }
  for (OpId op : graph.ops()) {
    OpSpec again;
    again.op = graph.op(op);
    again.op.cost = cost(again.op.cost);
    again.op.workspace = bytes(again.op.workspace);
    for (TensorId input : graph.inputs(op)) {
      again.inputs.push_back(graph.tensor(input).name);
    }
    for (TensorId output : graph.outputs(op)) {
      again.outputs.push_back(spec(output));
    }
    builder.add_op(std::move(again));
  }
  return builder.build().value();
}

// Small enough for exhaustive search.
inline Graph small_graph(Random& random) {
  if (random.below(4) == 0) {
    return random_chain(random, static_cast<int>(random.between(2, 4)));
  }
  const int ops = static_cast<int>(random.between(2, 8));
  return random_graph(random, {.ops = ops, .many_outputs = ops <= 6});
}

}  // namespace rematch
