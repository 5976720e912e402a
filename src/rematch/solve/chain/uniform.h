// SPDX-License-Identifier: Apache-2.0
// Recognises the uniform chain, whose optimum is known in closed form.
#pragma once

#include <cstdint>
#include <optional>

#include "rematch/graph/graph.h"

namespace rematch {

struct UniformChain {
  std::int64_t length = 0;  // Forward ops.
  Bytes bytes = 0;          // Of every tensor.
  Cost cost = 0;            // Of every op.
};

// n forward ops in a row, one op in the middle, n backward ops, each reading
// the op before it; backward op number 2n-i also reads forward op i. Every op
// has one output, all of the same size and cost, no workspace, nothing is kept
// at the end and everything may be recomputed. None if the graph is not that.
std::optional<UniformChain> uniform_chain(const Graph& graph);

// The cost of the cheapest plan for a uniform chain within `budget` bytes above
// the fixed ones; none if there is no plan. With c = budget / bytes - 2 slots
// it is n + 1 + W(n, c) ops, see binomial.h.
std::optional<Cost> uniform_optimum(const UniformChain& chain, Bytes budget);

}  // namespace rematch
