// SPDX-License-Identifier: Apache-2.0
// Small graphs for tests: all of them up to a size, and random ones that use
// every feature of the model.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "rematch/base/random.h"
#include "rematch/graph/graph.h"

namespace rematch {

// How costs and sizes are chosen.
enum class Weights { kUnit, kVaried };

// Calls `visit` with every graph of `ops` ops with one output each in a given
// topological order: 2^(ops (ops-1) / 2) of them. The first half of the ops is
// forward, the rest backward.
void for_every_dag(int ops, Weights weights,
                   const std::function<void(const Graph&)>& visit);

struct RandomGraphOptions {
  int ops = 6;
  bool many_outputs = true;  // Up to three outputs per op.
  bool views = true;         // Tensors that share a storage.
  bool workspace = true;
  bool run_once = true;      // Some ops must not be recomputed.
  bool kept_outputs = true;  // Some tensors live to the end.
  bool inputs = true;        // Graph inputs and fixed bytes.
};

Graph random_graph(Random& random, const RandomGraphOptions& options);

// The unit chain of the Checkmate paper, with n forward ops.
Graph unit_chain(std::int64_t n);

// A chain of n forward ops, a loss and n backward ops with random numbers.
Graph random_chain(Random& random, int n);

// The graph as text, to paste into a file when a property fails.
std::string show(const Graph& graph);

}  // namespace rematch
