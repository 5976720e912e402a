// SPDX-License-Identifier: Apache-2.0
// The forward part of a training graph, and where it can be cut in two.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rematch/graph/graph.h"

namespace rematch {

// The ops of the forward phase, in order.
std::vector<OpId> forward_ops(const Graph& graph);

// Articulation points: forward ops through which every forward path from an op
// without forward inputs to one without forward readers passes, ascending.
// O(ops + edges).
std::vector<OpId> articulation_ops(const Graph& graph);

// Why the graph is not a chain followed by its backward; none if it is one:
// all forward ops come before all others, and each reads the one before it and
// no earlier one.
std::optional<std::string> why_not_chain(const Graph& graph);

}  // namespace rematch
