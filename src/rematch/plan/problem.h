// SPDX-License-Identifier: Apache-2.0
// What is asked: the cheapest plan for a graph within a budget.
#pragma once

#include <optional>
#include <string_view>

#include "rematch/base/bytes.h"
#include "rematch/graph/graph.h"

namespace rematch {

// Which orders of first computation a plan may choose.
enum class OrderRule {
  kFixed,  // The graph's own: op 0, 1, 2, ...
  kFree,   // Any that respects the dependencies; ops that are not
           // recomputable keep the graph's order among themselves.
};

// Refers to the graph, which must outlive it.
struct Problem {
  const Graph& graph;
  Bytes budget = 0;  // Largest allowed peak, fixed bytes included.
  OrderRule order = OrderRule::kFixed;
};

// "fixed", "free".
std::string_view order_name(OrderRule order);
std::optional<OrderRule> order_from_name(std::string_view name);

}  // namespace rematch
