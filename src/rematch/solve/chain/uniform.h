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

// How many values a plan may store besides the two that every step needs,
// within `budget` bytes above the fixed ones; less than 1: there is no plan.
std::int64_t uniform_slots(const UniformChain& chain, Bytes budget);

// How many ops the cheapest plan of a uniform chain runs with `slots` >= 1:
// n + 1 + W(n, slots), see binomial.h.
std::int64_t uniform_optimum(const UniformChain& chain, std::int64_t slots);

}  // namespace rematch
