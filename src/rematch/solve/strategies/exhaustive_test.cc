// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/exhaustive.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/solve/solve.h"

namespace rematch {
namespace {

Solution within(const Graph& graph, Bytes budget,
                OrderRule order = OrderRule::kFixed) {
  return solve({graph, budget, order}, *find_strategy("exhaustive"), {});
}

TEST(Exhaustive, FindsTheOptimumOfTheUnitChain) {
  const Graph chain =
      synthetic_graph({.family = Family::kChain, .length = 8, .training = true})
          .value();
  EXPECT_EQ(within(chain, 3).cost, 45);
  EXPECT_EQ(within(chain, 4).cost, 26);
  EXPECT_EQ(within(chain, 4).outcome, Outcome::kOptimal);
}

TEST(Exhaustive, UsesTheFreedomOfAFreeOrder) {
  // In order, a waits for d while b and c need room.
  const Graph graph = GraphBuilder()
                          .add_op("a", {}, 10, 5)
                          .add_op("b", {}, 10)
                          .add_op("c", {"b"}, 10)
                          .add_op("d", {"a"}, 1)
                          .build()
                          .value();
  EXPECT_EQ(within(graph, 20).cost, graph.base_cost() + 5);
  EXPECT_EQ(within(graph, 20, OrderRule::kFree).cost, graph.base_cost());
}

TEST(Exhaustive, KeepsTheOrderOfEffects) {
  // d could come before b and c, but a, c and d have effects.
  GraphBuilder builder;
  const auto add = [&](const char* name, std::vector<std::string> inputs,
                       Bytes bytes, bool once) {
    OpSpec spec;
    spec.op.name = name;
    spec.op.cost = 1;
    spec.op.recomputable = !once;
    spec.inputs = std::move(inputs);
    spec.outputs.emplace_back().name = name;
    spec.outputs.back().bytes = bytes;
    builder.add_op(spec);
  };
  add("a", {}, 10, true);
  add("b", {}, 10, false);
  add("c", {"b"}, 10, true);
  add("d", {"a"}, 1, true);
  const Graph graph = builder.build().value();
  EXPECT_EQ(within(graph, 29, OrderRule::kFree).outcome, Outcome::kInfeasible);
  EXPECT_EQ(within(graph, 30, OrderRule::kFree).cost, graph.base_cost());
}

TEST(Exhaustive, ProvesInfeasibilityAboveTheFloor) {
  // The floor is 21, but c needs a and b, and bringing back either while the
  // other is held needs base as well.
  const Graph graph = GraphBuilder()
                          .add_op("base", {}, 10)
                          .add_op("a", {"base"}, 10)
                          .add_op("b", {"base"}, 10)
                          .add_op("c", {"a", "b"}, 1)
                          .build()
                          .value();
  const Solution found = within(graph, 29);
  EXPECT_EQ(found.peak_floor, 21);
  EXPECT_EQ(found.outcome, Outcome::kInfeasible);
  EXPECT_EQ(within(graph, 30).outcome, Outcome::kOptimal);
}

TEST(Exhaustive, RefusesLargeGraphsWithTheNumbers) {
  const Graph chain =
      synthetic_graph(
          {.family = Family::kChain, .length = 20, .training = true})
          .value();
  EXPECT_EQ(within(chain, 10).message,
            "exhaustive takes at most 24 tensors that can be dropped; this "
            "graph has 41");
}

TEST(Exhaustive, CallsAWorkLimitUnknown) {
  const Graph chain =
      synthetic_graph({.family = Family::kChain, .length = 8, .training = true})
          .value();
  Limits limits;
  limits.work = 10;
  const Solution found = solve({chain, 4, OrderRule::kFixed},
                               *find_strategy("exhaustive"), limits);
  EXPECT_EQ(found.outcome, Outcome::kUnknown);
  EXPECT_EQ(found.stop_reason, StopReason::kWorkLimit);
}

}  // namespace
}  // namespace rematch
